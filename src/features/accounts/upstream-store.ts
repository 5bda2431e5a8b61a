import { emailKey } from '../../base/text/email-address.ts';
import { type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The account tied to an identity at an upstream provider. */
export type UpstreamAccountRow = RowOf<typeof byIdentity>;

const byIdentity = prepared((db, parameter: Parameter<{ issuer: string; subject: string }>) =>
  db
    .selectFrom('upstream_identity as identity')
    .innerJoin('account', 'account.id', 'identity.accountId')
    .where('identity.issuer', '=', parameter('issuer'))
    .where('identity.subject', '=', parameter('subject'))
    .select(['account.id as accountId', 'account.disabledAt', 'account.passwordHash']),
);

export async function findUpstreamAccount(
  db: Reader,
  identity: { issuer: string; subject: string },
): Promise<UpstreamAccountRow | undefined> {
  const [row] = await byIdentity(db, identity);
  return row;
}

/**
 * Finds the account that a directory has created, which nobody has signed in to: by the person's id
 * there, which can be that at the provider, or else by their address, which the provider has verified.
 */
export async function findProvisionedId(
  db: Reader,
  { subject, email }: { subject: string; email: string | undefined },
): Promise<string | undefined> {
  const found = await db
    .selectFrom('account')
    .leftJoin('upstream_identity', 'upstream_identity.accountId', 'account.id')
    .leftJoin('passkey', 'passkey.accountId', 'account.id')
    .where('scimUserName', 'is not', null)
    .where('disabledAt', 'is', null)
    .where('passwordHash', 'is', null)
    .where('upstream_identity.id', 'is', null)
    .where('passkey.id', 'is', null)
    .where((is) =>
      is.or([
        is('externalId', '=', subject),
        ...(email === undefined ? [] : [is('emailKey', '=', emailKey(email))]),
      ]),
    )
    .select('account.id')
    .orderBy(({ case: when }) => when().when('externalId', '=', subject).then(0).else(1).end())
    .orderBy('account.id')
    .executeTakeFirst();
  return found?.id;
}

/**
 * Finds the account with a verified address that has neither an identity nor a passkey, and is enabled.
 */
export async function findUnlinkedId(db: Reader, email: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('account')
    .leftJoin('upstream_identity', 'upstream_identity.accountId', 'account.id')
    .leftJoin('passkey', 'passkey.accountId', 'account.id')
    .where('emailKey', '=', emailKey(email))
    .where('emailVerifiedAt', 'is not', null)
    .where('disabledAt', 'is', null)
    .where('upstream_identity.id', 'is', null)
    .where('passkey.id', 'is', null)
    .select('account.id')
    .executeTakeFirst();
  return found?.id;
}

/** Ties an identity to an account; `false` if it is tied to one already. */
export async function insertIdentity(
  db: Writer,
  identity: Omit<Row<'upstream_identity'>, 'sealedTokens' | 'checkedAt'>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('upstream_identity')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .returning('id')
    .execute();
  return inserted.length === 1;
}

/** An identity at an upstream provider that an account is tied to. */
export type IdentityRow = Row<'upstream_identity', 'id' | 'issuer' | 'subject' | 'createdAt'>;

/** Lists the identities that an account is tied to, oldest first. */
export async function listIdentities(db: Reader, accountId: string): Promise<IdentityRow[]> {
  return db
    .selectFrom('upstream_identity')
    .where('accountId', '=', accountId)
    .select(['id', 'issuer', 'subject', 'createdAt'])
    .orderBy('id')
    .execute();
}

/** Unties an account's identity; `false` if it has none with this id. */
export async function deleteIdentity(db: Writer, accountId: string, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('upstream_identity')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

/** Keeps what the provider gave for an identity at a time, in place of what it gave before. */
export async function updateTokens(
  db: Writer,
  { issuer, subject }: { issuer: string; subject: string },
  kept: { sealedTokens: string | null; checkedAt: string },
): Promise<void> {
  await db
    .updateTable('upstream_identity')
    .set(kept)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();
}

/** Finds what the provider gave last for an account, sealed. */
export async function findTokens(db: Reader, accountId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('upstream_identity')
    .where('accountId', '=', accountId)
    .where('sealedTokens', 'is not', null)
    .select('sealedTokens')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return row?.sealedTokens ?? undefined;
}
