import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The account tied to an identity at an upstream provider. */
export interface UpstreamAccountRow {
  accountId: string;
  disabledAt: string | null;
  passwordHash: string | null;
}

const byIdentity = prepared<{ issuer: string; subject: string }, UpstreamAccountRow>(
  (db, parameter) =>
    db
      .selectFrom('upstream_identity as identity')
      .innerJoin('account', 'account.id', 'identity.account_id')
      .where('identity.issuer', '=', parameter('issuer'))
      .where('identity.subject', '=', parameter('subject'))
      .select([
        'account.id as accountId',
        'account.disabled_at as disabledAt',
        'account.password_hash as passwordHash',
      ]),
);

export async function findUpstreamAccount(
  db: Reader,
  identity: { issuer: string; subject: string },
): Promise<UpstreamAccountRow | undefined> {
  const [row] = await byIdentity(db, identity);
  return row;
}

/** Ties an identity to an account; `false` if it is tied to one already. */
export async function insertIdentity(
  db: Writer,
  identity: { id: string; accountId: string; issuer: string; subject: string; createdAt: string },
): Promise<boolean> {
  const inserted = await db
    .insertInto('upstream_identity')
    .values({
      id: identity.id,
      account_id: identity.accountId,
      issuer: identity.issuer,
      subject: identity.subject,
      created_at: identity.createdAt,
    })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .returning('id')
    .execute();
  return inserted.length === 1;
}

/** An identity at an upstream provider that an account is tied to. */
export interface IdentityRow {
  id: string;
  issuer: string;
  subject: string;
  createdAt: string;
}

/** Lists the identities that an account is tied to, oldest first. */
export async function listIdentities(db: Reader, accountId: string): Promise<IdentityRow[]> {
  return db
    .selectFrom('upstream_identity')
    .where('account_id', '=', accountId)
    .select(['id', 'issuer', 'subject', 'created_at as createdAt'])
    .orderBy('id')
    .execute();
}

/** Unties an account's identity; `false` if it has none with this id. */
export async function deleteIdentity(db: Writer, accountId: string, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('upstream_identity')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return deleted.length === 1;
}
