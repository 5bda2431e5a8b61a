import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { lookup } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { hasProgramPolicies } from '../owner/program-store.ts';

export type IssuedTokenKind = 'code' | 'access' | 'refresh';

/** A stored code or token. */
export interface IssuedTokenRow {
  grantId: string;
  /** What its grant allows by now; separated by spaces. */
  grantScopes: string;
  /** JSON. */
  payload: string;
  expiresAt: string;
  consumedAt: string | null;
}

export interface AccessRow {
  grantId: string;
  accountId: string;
  username: string;
  clientName: string;
  /** What the token was issued for; separated by spaces. */
  scopes: string;
  /** What its grant allows by now: the user may have taken scopes away. */
  grantScopes: string;
  audience: string | null;
  expiresAt: string;
  grantCreatedAt: string;
  grantExpiresAt: string;
  lastUsedAt: string | null;
  /** Whether any organization has policies on programs. */
  programPolicies: boolean | 0 | 1;
}

const access = lookup<{ hash: string }, AccessRow>((db, parameter) =>
  db
    .selectFrom('oauth_token as token')
    .innerJoin('oauth_grant as grant', 'grant.id', 'token.grant_id')
    .innerJoin('account', 'account.id', 'grant.account_id')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('token.token_hash', '=', parameter('hash'))
    .where('token.kind', '=', 'access')
    .where('account.disabled_at', 'is', null)
    .select([
      'grant.id as grantId',
      'account.id as accountId',
      'owner.namespace as username',
      'grant.client_name as clientName',
      'token.scopes',
      'grant.scopes as grantScopes',
      'token.audience',
      'token.expires_at as expiresAt',
      'grant.created_at as grantCreatedAt',
      'grant.expires_at as grantExpiresAt',
      'grant.last_used_at as lastUsedAt',
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
    .innerJoin('oauth_grant as grant', 'grant.id', 'token.grant_id')
    .where('token.token_hash', '=', hash)
    .where('token.kind', '=', kind)
    .select([
      'token.grant_id as grantId',
      'grant.scopes as grantScopes',
      'token.payload',
      'token.expires_at as expiresAt',
      'token.consumed_at as consumedAt',
    ])
    .executeTakeFirst();
}

/** Adds a code or token. @returns `false` if its grant has ended */
export async function insertIssuedToken(
  db: Writer,
  token: Omit<IssuedTokenRow, 'consumedAt' | 'grantScopes'> & {
    hash: string;
    kind: IssuedTokenKind;
    /** Separated by spaces. */
    scopes: string;
    audience: string | null;
    createdAt: string;
  },
): Promise<boolean> {
  // Locks the grant, so that a concurrent deletion waits and then deletes this token too.
  let grant = db.selectFrom('oauth_grant').where('id', '=', token.grantId).select('id');
  if (capabilitiesOf(db).concurrentTransactions) grant = grant.forKeyShare();
  if (!(await grant.executeTakeFirst())) return false;
  await db
    .insertInto('oauth_token')
    .values({
      token_hash: token.hash,
      kind: token.kind,
      grant_id: token.grantId,
      scopes: token.scopes,
      audience: token.audience,
      payload: token.payload,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      consumed_at: null,
    })
    .execute();
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
    .set({ consumed_at: consumedAt })
    .where('token_hash', '=', hash)
    .where('kind', '=', kind)
    .where('consumed_at', 'is', null)
    .returning('token_hash')
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
    .where('token_hash', '=', hash)
    .where('kind', '=', kind)
    .execute();
}

/** Deletes expired codes and tokens. @returns how many */
export async function deleteExpiredTokens(db: Writer, now: string): Promise<number> {
  const removed = await db
    .deleteFrom('oauth_token')
    .where('expires_at', '<=', now)
    .returning('kind')
    .execute();
  return removed.length;
}
