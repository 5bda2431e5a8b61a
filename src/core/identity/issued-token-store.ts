import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { lookup, type Parameter } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import { hasProgramPolicies } from '../owner/program-store.ts';

export type IssuedTokenKind = Tables['oauth_token']['kind'];

/** A stored code or token. */
export type IssuedTokenRow = Row<
  'oauth_token',
  'grantId' | 'payload' | 'expiresAt' | 'consumedAt'
> & { grantScopes: string };

export type AccessRow = RowOf<typeof access>;

const access = lookup((db, parameter: Parameter<{ hash: string }>) =>
  db
    .selectFrom('oauth_token as token')
    .innerJoin('oauth_grant as grant', 'grant.id', 'token.grantId')
    .innerJoin('account', 'account.id', 'grant.accountId')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('token.tokenHash', '=', parameter('hash'))
    .where('token.kind', '=', 'access')
    .where('account.disabledAt', 'is', null)
    .where('account.refusedAt', 'is', null)
    .select([
      'grant.id as grantId',
      'account.id as accountId',
      'owner.namespace as username',
      'grant.clientName',
      'token.scopes',
      // What its grant allows by now: the user may have taken scopes away.
      'grant.scopes as grantScopes',
      'grant.refusedScopes',
      'grant.reach',
      'token.audience',
      'token.expiresAt',
      'grant.createdAt as grantCreatedAt',
      'grant.expiresAt as grantExpiresAt',
      'grant.lastUsedAt',
      // Whether any organization has policies on programs.
      hasProgramPolicies().as('programPolicies'),
    ]),
);

/** Finds an access token by its hash, unless its account is disabled. */
export async function findAccess(db: Reader, hash: string): Promise<AccessRow | undefined> {
  const [row] = await access(db, { hash });
  return row;
}

export async function findIssuedToken(
  db: Reader,
  kind: IssuedTokenKind,
  hash: string,
): Promise<IssuedTokenRow | undefined> {
  return db
    .selectFrom('oauth_token as token')
    .innerJoin('oauth_grant as grant', 'grant.id', 'token.grantId')
    .where('token.tokenHash', '=', hash)
    .where('token.kind', '=', kind)
    .select([
      'token.grantId',
      'grant.scopes as grantScopes',
      'token.payload',
      'token.expiresAt',
      'token.consumedAt',
    ])
    .executeTakeFirst();
}

/** Adds a code or token. @returns `false` if its grant has ended */
export async function insertIssuedToken(
  db: Writer,
  token: Omit<Row<'oauth_token'>, 'consumedAt'>,
): Promise<boolean> {
  // Locks the grant, so that a concurrent deletion waits and then deletes this token too.
  let grant = db.selectFrom('oauth_grant').where('id', '=', token.grantId).select('id');
  if (capabilitiesOf(db).concurrentTransactions) grant = grant.forKeyShare();
  if (!(await grant.executeTakeFirst())) return false;
  await db.insertInto('oauth_token').values(token).execute();
  return true;
}

/**
 * Marks a code or token as consumed. Only one of several concurrent callers gets `true`. @returns
 * `false` if it already was, or is gone
 */
export async function updateConsumed(
  db: Writer,
  kind: IssuedTokenKind,
  hash: string,
  consumedAt: string,
): Promise<boolean> {
  const updated = await db
    .updateTable('oauth_token')
    .set({ consumedAt })
    .where('tokenHash', '=', hash)
    .where('kind', '=', kind)
    .where('consumedAt', 'is', null)
    .returning('tokenHash')
    .execute();
  return updated.length === 1;
}

export async function deleteIssuedToken(
  db: Writer,
  kind: IssuedTokenKind,
  hash: string,
): Promise<void> {
  await db
    .deleteFrom('oauth_token')
    .where('tokenHash', '=', hash)
    .where('kind', '=', kind)
    .execute();
}

/** Deletes expired codes and tokens. @returns how many */
export async function deleteExpiredTokens(db: Writer, now: string): Promise<number> {
  const removed = await db
    .deleteFrom('oauth_token')
    .where('expiresAt', '<=', now)
    .returning('kind')
    .execute();
  return removed.length;
}
