import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A passkey as its owner sees it. */
export interface PasskeyRow {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
  /** The authenticator's id of the key, as base64url. */
  credentialId: string;
  /** How browsers reach the authenticator, separated by spaces. */
  transports: string;
}

/** What is needed to check what a passkey signed. */
export interface PasskeyKeyRow {
  id: string;
  accountId: string;
  /** COSE, as base64url. */
  publicKey: string;
  counter: number;
}

/** Lists an account's passkeys, oldest first. */
export async function listPasskeys(db: Reader, accountId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkey')
    .where('account_id', '=', accountId)
    .select([
      'id',
      'name',
      'created_at as createdAt',
      'last_used_at as lastUsedAt',
      'credential_id as credentialId',
      'transports',
    ])
    .orderBy('id')
    .execute();
}

const passkeyByCredential = prepared<{ credentialId: string }, PasskeyKeyRow>((db, parameter) =>
  db
    .selectFrom('passkey')
    .where('credential_id', '=', parameter('credentialId'))
    .select(['id', 'account_id as accountId', 'public_key as publicKey', 'counter']),
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
  passkey: {
    id: string;
    accountId: string;
    credentialId: string;
    publicKey: string;
    counter: number;
    transports: string;
    name: string;
    createdAt: string;
  },
): Promise<boolean> {
  const inserted = await db
    .insertInto('passkey')
    .values({
      id: passkey.id,
      account_id: passkey.accountId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports,
      name: passkey.name,
      created_at: passkey.createdAt,
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
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
    .set({ counter: use.counter, last_used_at: use.usedAt })
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
    .where('account_id', '=', accountId)
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
  await db.deleteFrom('spent_challenge').where('expires_at', '<=', challenge.now).execute();
  const inserted = await db
    .insertInto('spent_challenge')
    .values({ hash: challenge.hash, expires_at: challenge.expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .execute();
  return inserted.length === 1;
}

/** The app in which a user reads one-time codes. */
export interface CodeGeneratorRow {
  id: string;
  sealedSecret: string;
  /** The time step of the last code that was accepted. */
  lastStep: number;
  createdAt: string;
}

export async function findCodeGenerator(
  db: Reader,
  accountId: string,
): Promise<CodeGeneratorRow | undefined> {
  return db
    .selectFrom('code_generator')
    .where('account_id', '=', accountId)
    .select([
      'id',
      'sealed_secret as sealedSecret',
      'last_step as lastStep',
      'created_at as createdAt',
    ])
    .executeTakeFirst();
}

/** Inserts the generator of an account; `false` if it has one. */
export async function insertCodeGenerator(
  db: Writer,
  generator: CodeGeneratorRow & { accountId: string },
): Promise<boolean> {
  const inserted = await db
    .insertInto('code_generator')
    .values({
      id: generator.id,
      account_id: generator.accountId,
      sealed_secret: generator.sealedSecret,
      last_step: generator.lastStep,
      created_at: generator.createdAt,
    })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .returning('id')
    .execute();
  return inserted.length === 1;
}

/** Notes that the code of a time step was accepted; `false` if it or a later one was before. */
export async function updateLastStep(db: Writer, id: string, step: number): Promise<boolean> {
  const updated = await db
    .updateTable('code_generator')
    .set({ last_step: step })
    .where('id', '=', id)
    .where('last_step', '<', step)
    .returning('id')
    .execute();
  return updated.length === 1;
}

/** Deletes the generator of an account; `false` if it has none. */
export async function deleteCodeGenerator(db: Writer, accountId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('code_generator')
    .where('account_id', '=', accountId)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

/** Counts the recovery codes of an account that can still be used. */
export async function countRecoveryCodes(db: Reader, accountId: string): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_code')
    .select((row) => row.fn.countAll<number>().as('left'))
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(left);
}

export async function insertRecoveryCodes(
  db: Writer,
  codes: readonly { id: string; accountId: string; hash: string; createdAt: string }[],
): Promise<void> {
  await db
    .insertInto('recovery_code')
    .values(
      codes.map(({ id, accountId, hash, createdAt }) => ({
        id,
        account_id: accountId,
        code_hash: hash,
        created_at: createdAt,
        used_at: null,
      })),
    )
    .execute();
}

export async function deleteRecoveryCodes(db: Writer, accountId: string): Promise<void> {
  await db.deleteFrom('recovery_code').where('account_id', '=', accountId).execute();
}

/** Uses a recovery code up; `false` if the account has no such code left. */
export async function updateRecoveryCodeUsed(
  db: Writer,
  { accountId, hash, at }: { accountId: string; hash: string; at: string },
): Promise<boolean> {
  const used = await db
    .updateTable('recovery_code')
    .set({ used_at: at })
    .where('account_id', '=', accountId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .returning('id')
    .execute();
  return used.length === 1;
}

/** Deletes everything that is a second factor of an account. @returns whether there was something */
export async function deleteSecondFactors(db: Writer, accountId: string): Promise<boolean> {
  const passkeys = await db
    .deleteFrom('passkey')
    .where('account_id', '=', accountId)
    .returning('id')
    .execute();
  const hadCodes = await deleteCodeGenerator(db, accountId);
  await deleteRecoveryCodes(db, accountId);
  return passkeys.length > 0 || hadCodes;
}
