import type { ExpressionBuilder } from 'kysely';
import { lookup } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import { hasProgramPolicies } from '../owner/program-store.ts';

/** What is needed to check a token and identify its user. */
export interface CredentialRow {
  tokenId: string;
  tokenName: string;
  accountId: string;
  username: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  /** Separated by spaces; `null` means all. */
  scopes: string | null;
  /** Whether any organization has policies on programs. */
  programPolicies: boolean | 0 | 1;
}

/** A personal access token as shown in lists. */
export interface TokenRow {
  id: string;
  name: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
  /** Separated by spaces; `null` means all. */
  scopes: string | null;
}

const credential = lookup<{ hash: string }, CredentialRow>((db, parameter) =>
  db
    .selectFrom('access_token as token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('token.token_hash', '=', parameter('hash'))
    .where('token.revoked_at', 'is', null)
    .where('account.disabled_at', 'is', null)
    .select([
      'token.id as tokenId',
      'account.id as accountId',
      'owner.namespace as username',
      'token.name as tokenName',
      'token.created_at as createdAt',
      'token.expires_at as expiresAt',
      'token.last_used_at as lastUsedAt',
      'token.scopes',
      hasProgramPolicies().as('programPolicies'),
    ]),
);

/** Finds the token with this hash, unless it is revoked or its account is disabled. */
export async function findCredential(db: Reader, hash: string): Promise<CredentialRow | undefined> {
  const [row] = await credential(db, { hash });
  return row;
}

export async function insertToken(
  db: Writer,
  token: {
    id: string;
    accountId: string;
    name: string;
    hash: string;
    createdAt: string;
    expiresAt: string | null;
    scopes: string | null;
  },
): Promise<void> {
  await db
    .insertInto('access_token')
    .values({
      id: token.id,
      account_id: token.accountId,
      name: token.name,
      token_hash: token.hash,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      last_used_at: null,
      revoked_at: null,
      scopes: token.scopes,
    })
    .execute();
}

export async function updateTokenUsed(db: Writer, id: string, usedAt: string): Promise<void> {
  await db.updateTable('access_token').set({ last_used_at: usedAt }).where('id', '=', id).execute();
}

/** Lists a user's tokens, newest first, including revoked ones. */
export async function listTokens(db: Reader, accountId: string): Promise<TokenRow[]> {
  return tokensOf(db, accountId).execute();
}

/** Lists a user's tokens that work at a time, newest first. */
export async function listWorkingTokens(
  db: Reader,
  accountId: string,
  now: string,
): Promise<TokenRow[]> {
  return tokensOf(db, accountId).where(isWorking(now)).execute();
}

/** Lists a user's tokens that no longer work, newest first. */
export async function listEndedTokens(
  db: Reader,
  accountId: string,
  now: string,
  limit: number,
): Promise<TokenRow[]> {
  return tokensOf(db, accountId)
    .where((token) =>
      token.or([token('revoked_at', 'is not', null), token('expires_at', '<=', now)]),
    )
    .limit(limit)
    .execute();
}

export async function countWorkingTokens(
  db: Reader,
  accountId: string,
  now: string,
): Promise<number> {
  const { tokens } = await db
    .selectFrom('access_token')
    .where('account_id', '=', accountId)
    .where(isWorking(now))
    .select((token) => token.fn.countAll<number>().as('tokens'))
    .executeTakeFirstOrThrow();
  return Number(tokens);
}

/**
 * Marks a token revoked; `false` if no working token has this id.
 *
 * @param accountId the required owner; without it, any
 */
export async function updateTokenRevoked(
  db: Writer,
  id: string,
  revokedAt: string,
  accountId?: string,
): Promise<{ accountId: string; name: string } | undefined> {
  return db
    .updateTable('access_token')
    .set({ revoked_at: revokedAt })
    .where('id', '=', id)
    .where(isWorking(revokedAt))
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as string))
    .returning(['account_id as accountId', 'name'])
    .executeTakeFirst();
}

/** Builds the condition that a token works at a time. Doesn't check its account. */
export function isWorking(now: string) {
  return (token: ExpressionBuilder<Tables, 'access_token'>) =>
    token.and([
      token('revoked_at', 'is', null),
      token.or([token('expires_at', 'is', null), token('expires_at', '>', now)]),
    ]);
}

function tokensOf(db: Reader, accountId: string) {
  return db
    .selectFrom('access_token')
    .where('account_id', '=', accountId)
    .select([
      'id',
      'name',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'last_used_at as lastUsedAt',
      'revoked_at as revokedAt',
      'scopes',
    ])
    .orderBy('id', 'desc');
}
