import type { ExpressionBuilder } from 'kysely';
import { lookup, type Parameter } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import { hasProgramPolicies } from '../owner/program-store.ts';

/** What is needed to check a token and identify its user. */
export type CredentialRow = RowOf<typeof credential>;

/** A personal access token as shown in lists. */
export type TokenRow = RowOf<typeof tokensOf>;

const credential = lookup((db, parameter: Parameter<{ hash: string }>) =>
  db
    .selectFrom('access_token as token')
    .innerJoin('account', 'account.id', 'token.accountId')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('token.tokenHash', '=', parameter('hash'))
    .where('token.revokedAt', 'is', null)
    .where('account.disabledAt', 'is', null)
    .where('account.refusedAt', 'is', null)
    .select([
      'token.id as tokenId',
      'account.id as accountId',
      'owner.namespace as username',
      'token.name as tokenName',
      'token.createdAt',
      'token.expiresAt',
      'token.lastUsedAt',
      'token.scopes',
      'token.reach',
      // Whether any organization has policies on programs.
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
  token: Omit<Row<'access_token'>, 'lastUsedAt' | 'revokedAt'>,
): Promise<void> {
  await db.insertInto('access_token').values(token).execute();
}

export async function updateTokenUsed(db: Writer, id: string, usedAt: string): Promise<void> {
  await db.updateTable('access_token').set({ lastUsedAt: usedAt }).where('id', '=', id).execute();
}

/** Lists a user's tokens, newest first, including revoked ones. */
export async function listTokens(db: Reader, accountId: string): Promise<TokenRow[]> {
  return tokensOf(db, accountId).execute();
}

/** When tokens work: those that were created after `since`, if the server lets none work longer. */
export interface WorkingAt {
  now: string;
  since?: string | undefined;
}

/** Lists a user's tokens that work at a time, newest first. */
export async function listWorkingTokens(
  db: Reader,
  accountId: string,
  at: WorkingAt,
): Promise<TokenRow[]> {
  return tokensOf(db, accountId).where(isWorking(at)).execute();
}

/** Lists a user's tokens that no longer work, newest first. */
export async function listEndedTokens(
  db: Reader,
  accountId: string,
  at: WorkingAt,
  limit: number,
): Promise<TokenRow[]> {
  return tokensOf(db, accountId)
    .where((token) => token.not(isWorking(at)(token)))
    .limit(limit)
    .execute();
}

export async function countWorkingTokens(
  db: Reader,
  accountId: string,
  at: WorkingAt,
): Promise<number> {
  const { tokens } = await db
    .selectFrom('access_token')
    .where('accountId', '=', accountId)
    .where(isWorking(at))
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
    .set({ revokedAt })
    .where('id', '=', id)
    .where(isWorking({ now: revokedAt }))
    .$if(accountId !== undefined, (query) => query.where('accountId', '=', accountId as string))
    .returning(['accountId', 'name'])
    .executeTakeFirst();
}

/** Builds the condition that a token works at a time. Doesn't check its account. */
export function isWorking({ now, since = '' }: WorkingAt) {
  return (token: ExpressionBuilder<Tables, 'access_token'>) =>
    token.and([
      token('revokedAt', 'is', null),
      token('createdAt', '>', since),
      token.or([token('expiresAt', 'is', null), token('expiresAt', '>', now)]),
    ]);
}

function tokensOf(db: Reader, accountId: string) {
  return db
    .selectFrom('access_token')
    .where('accountId', '=', accountId)
    .select(['id', 'name', 'createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt', 'scopes', 'reach'])
    .orderBy('id', 'desc');
}
