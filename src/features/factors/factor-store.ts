import { prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A passkey as its owner sees it. */
export type PasskeyRow = Omit<Row<'passkey'>, 'accountId' | 'publicKey' | 'counter'>;

/** What is needed to check what a passkey signed. */
export type PasskeyKeyRow = Row<'passkey', 'id' | 'accountId' | 'publicKey' | 'counter'>;

/** Lists an account's passkeys, oldest first. */
export async function listPasskeys(db: Reader, accountId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkey')
    .where('accountId', '=', accountId)
    .select(['id', 'name', 'createdAt', 'lastUsedAt', 'credentialId', 'transports'])
    .orderBy('id')
    .execute();
}

const passkeyByCredential = prepared<{ credentialId: string }, PasskeyKeyRow>((db, parameter) =>
  db
    .selectFrom('passkey')
    .where('credentialId', '=', parameter('credentialId'))
    .select(['id', 'accountId', 'publicKey', 'counter']),
);

export async function findPasskey(
  db: Reader,
  credentialId: string,
): Promise<PasskeyKeyRow | undefined> {
  const [row] = await passkeyByCredential(db, { credentialId });
  return row && { ...row, counter: Number(row.counter) };
}

/** Inserts a passkey; `false` if it is there already. */
export async function insertPasskey(
  db: Writer,
  passkey: Omit<Row<'passkey'>, 'lastUsedAt'>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('passkey')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .returning('id')
    .execute();
  return inserted.length === 1;
}

/** Notes a use of a passkey; `false` if it is gone. */
export async function updatePasskeyUsed(
  db: Writer,
  id: string,
  use: { counter: number; usedAt: string },
): Promise<boolean> {
  const updated = await db
    .updateTable('passkey')
    .set({ counter: use.counter, lastUsedAt: use.usedAt })
    .where('id', '=', id)
    .returning('id')
    .execute();
  return updated.length === 1;
}

/** Deletes an account's passkey. @returns its name; `undefined` if there is none with this id */
export async function deletePasskey(
  db: Writer,
  accountId: string,
  id: string,
): Promise<string | undefined> {
  const [deleted] = await db
    .deleteFrom('passkey')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returning('name')
    .execute();
  return deleted?.name;
}

/** Notes that a challenge was answered; `false` if it was answered before. Forgets expired ones. */
export async function insertSpentChallenge(
  db: Writer,
  challenge: { hash: string; expiresAt: string; now: string },
): Promise<boolean> {
  await db.deleteFrom('spent_challenge').where('expiresAt', '<=', challenge.now).execute();
  const inserted = await db
    .insertInto('spent_challenge')
    .values({ hash: challenge.hash, expiresAt: challenge.expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .execute();
  return inserted.length === 1;
}

/** The app in which a user reads one-time codes. */
export type CodeGeneratorRow = Omit<Row<'code_generator'>, 'accountId'>;

export async function findCodeGenerator(
  db: Reader,
  accountId: string,
): Promise<CodeGeneratorRow | undefined> {
  return db
    .selectFrom('code_generator')
    .where('accountId', '=', accountId)
    .select(['id', 'sealedSecret', 'lastStep', 'createdAt'])
    .executeTakeFirst();
}

/** Inserts the generator of an account; `false` if it has one. */
export async function insertCodeGenerator(
  db: Writer,
  generator: Row<'code_generator'>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('code_generator')
    .values(generator)
    .onConflict((conflict) => conflict.column('accountId').doNothing())
    .returning('id')
    .execute();
  return inserted.length === 1;
}

/** Notes that the code of a time step was accepted; `false` if it or a later one was before. */
export async function updateLastStep(db: Writer, id: string, step: number): Promise<boolean> {
  const updated = await db
    .updateTable('code_generator')
    .set({ lastStep: step })
    .where('id', '=', id)
    .where('lastStep', '<', step)
    .returning('id')
    .execute();
  return updated.length === 1;
}

/** Deletes the generator of an account; `false` if it has none. */
export async function deleteCodeGenerator(db: Writer, accountId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('code_generator')
    .where('accountId', '=', accountId)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

/** Counts the recovery codes of an account that can still be used. */
export async function countRecoveryCodes(db: Reader, accountId: string): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_code')
    .select((row) => row.fn.countAll<number>().as('left'))
    .where('accountId', '=', accountId)
    .where('usedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(left);
}

export async function insertRecoveryCodes(
  db: Writer,
  codes: readonly Omit<Row<'recovery_code'>, 'usedAt'>[],
): Promise<void> {
  await db.insertInto('recovery_code').values(codes).execute();
}

export async function deleteRecoveryCodes(db: Writer, accountId: string): Promise<void> {
  await db.deleteFrom('recovery_code').where('accountId', '=', accountId).execute();
}

/** Uses a recovery code up; `false` if the account has no such code left. */
export async function updateRecoveryCodeUsed(
  db: Writer,
  { accountId, hash, at }: { accountId: string; hash: string; at: string },
): Promise<boolean> {
  const used = await db
    .updateTable('recovery_code')
    .set({ usedAt: at })
    .where('accountId', '=', accountId)
    .where('codeHash', '=', hash)
    .where('usedAt', 'is', null)
    .returning('id')
    .execute();
  return used.length === 1;
}

/** Deletes everything that is a second factor of an account. @returns whether there was something */
export async function deleteSecondFactors(db: Writer, accountId: string): Promise<boolean> {
  const passkeys = await db
    .deleteFrom('passkey')
    .where('accountId', '=', accountId)
    .returning('id')
    .execute();
  const hadCodes = await deleteCodeGenerator(db, accountId);
  await deleteRecoveryCodes(db, accountId);
  return passkeys.length > 0 || hadCodes;
}
