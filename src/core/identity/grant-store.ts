import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A user's consent to an application. Lists are separated by spaces. */
export type GrantRow = Row<'oauth_grant'>;

export async function insertGrant(db: Writer, grant: Omit<GrantRow, 'lastUsedAt'>): Promise<void> {
  await db.insertInto('oauth_grant').values(grant).execute();
}

export async function findGrant(db: Reader, id: string): Promise<GrantRow | undefined> {
  return db.selectFrom('oauth_grant').where('id', '=', id).selectAll().executeTakeFirst();
}

/** Lists a user's unexpired grants, newest first. */
export async function listGrants(db: Reader, accountId: string, now: string): Promise<GrantRow[]> {
  return db
    .selectFrom('oauth_grant')
    .where('accountId', '=', accountId)
    .where('expiresAt', '>', now)
    .orderBy('id', 'desc')
    .selectAll()
    .execute();
}

/** Sets a grant's last use, unless it was used after `notSince`, to save writes. */
export async function updateGrantUsed(
  db: Writer,
  id: string,
  usedAt: string,
  notSince: string,
): Promise<void> {
  await db
    .updateTable('oauth_grant')
    .set({ lastUsedAt: usedAt })
    .where('id', '=', id)
    .where((where) =>
      where.or([where('lastUsedAt', 'is', null), where('lastUsedAt', '<=', notSince)]),
    )
    .execute();
}

/** @returns whose it was, and the application's name; `undefined` if there was none */
export async function deleteGrant(
  db: Writer,
  id: string,
): Promise<Pick<GrantRow, 'accountId' | 'clientName'> | undefined> {
  return db
    .deleteFrom('oauth_grant')
    .where('id', '=', id)
    .returning(['accountId', 'clientName'])
    .executeTakeFirst();
}

/** Deletes a user's grants to a client. @returns how many */
export async function deleteClientGrants(
  db: Writer,
  { clientId, accountId }: { clientId: string; accountId: string },
): Promise<number> {
  const removed = await db
    .deleteFrom('oauth_grant')
    .where('clientId', '=', clientId)
    .where('accountId', '=', accountId)
    .returning('id')
    .execute();
  return removed.length;
}

/** Lists a user's grants to a client, and locks them. */
export async function lockClientGrants(
  db: Writer,
  { clientId, accountId }: { clientId: string; accountId: string },
): Promise<Pick<GrantRow, 'id' | 'scopes' | 'refusedScopes'>[]> {
  return db
    .updateTable('oauth_grant')
    .set(({ ref }) => ({ scopes: ref('scopes') }))
    .where('clientId', '=', clientId)
    .where('accountId', '=', accountId)
    .returning(['id', 'scopes', 'refusedScopes'])
    .execute();
}

export async function updateGrantScopes(
  db: Writer,
  id: string,
  { scopes, refusedScopes }: Pick<GrantRow, 'scopes' | 'refusedScopes'>,
): Promise<void> {
  await db.updateTable('oauth_grant').set({ scopes, refusedScopes }).where('id', '=', id).execute();
}

export async function deleteAccountGrants(db: Writer, accountId: string): Promise<void> {
  await db.deleteFrom('oauth_grant').where('accountId', '=', accountId).execute();
}

/**
 * Deletes expired grants, and those created before `createdBefore` that have no valid token.
 *
 * @returns how many
 */
export async function deleteSpentGrants(
  db: Writer,
  { now, createdBefore }: { now: string; createdBefore: string },
): Promise<number> {
  const removed = await db
    .deleteFrom('oauth_grant')
    .where((where) =>
      where.or([
        where('expiresAt', '<=', now),
        where.and([
          where('createdAt', '<', createdBefore),
          where('id', 'not in', (tokens) =>
            tokens.selectFrom('oauth_token').where('expiresAt', '>', now).select('grantId'),
          ),
        ]),
      ]),
    )
    .returning('id')
    .execute();
  return removed.length;
}
