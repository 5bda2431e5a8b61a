import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A user's consent to an application. Lists are separated by spaces. */
export interface GrantRow {
  id: string;
  accountId: string;
  clientId: string;
  /** The application's name and redirect host at the time of consent. */
  clientName: string;
  clientHost: string;
  resources: string;
  scopes: string;
  refusedScopes: string;
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
}

export async function insertGrant(db: Writer, grant: Omit<GrantRow, 'lastUsedAt'>): Promise<void> {
  await db
    .insertInto('oauth_grant')
    .values({
      id: grant.id,
      account_id: grant.accountId,
      client_id: grant.clientId,
      client_name: grant.clientName,
      client_host: grant.clientHost,
      resources: grant.resources,
      scopes: grant.scopes,
      refused_scopes: grant.refusedScopes,
      created_at: grant.createdAt,
      expires_at: grant.expiresAt,
      last_used_at: null,
    })
    .execute();
}

export async function findGrant(db: Reader, id: string): Promise<GrantRow | undefined> {
  return grants(db).where('id', '=', id).executeTakeFirst();
}

/** Lists a user's unexpired grants, newest first. */
export async function listGrants(db: Reader, accountId: string, now: string): Promise<GrantRow[]> {
  return grants(db)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
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
    .set({ last_used_at: usedAt })
    .where('id', '=', id)
    .where((where) =>
      where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', notSince)]),
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
    .returning(['account_id as accountId', 'client_name as clientName'])
    .executeTakeFirst();
}

/** Deletes a user's grants to a client. @returns how many */
export async function deleteClientGrants(
  db: Writer,
  { clientId, accountId }: { clientId: string; accountId: string },
): Promise<number> {
  const removed = await db
    .deleteFrom('oauth_grant')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
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
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .returning(['id', 'scopes', 'refused_scopes as refusedScopes'])
    .execute();
}

export async function updateGrantScopes(
  db: Writer,
  id: string,
  { scopes, refusedScopes }: Pick<GrantRow, 'scopes' | 'refusedScopes'>,
): Promise<void> {
  await db
    .updateTable('oauth_grant')
    .set({ scopes, refused_scopes: refusedScopes })
    .where('id', '=', id)
    .execute();
}

export async function deleteAccountGrants(db: Writer, accountId: string): Promise<void> {
  await db.deleteFrom('oauth_grant').where('account_id', '=', accountId).execute();
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
        where('expires_at', '<=', now),
        where.and([
          where('created_at', '<', createdBefore),
          where('id', 'not in', (tokens) =>
            tokens.selectFrom('oauth_token').where('expires_at', '>', now).select('grant_id'),
          ),
        ]),
      ]),
    )
    .returning('id')
    .execute();
  return removed.length;
}

function grants(db: Reader) {
  return db
    .selectFrom('oauth_grant')
    .select([
      'id',
      'account_id as accountId',
      'client_id as clientId',
      'client_name as clientName',
      'client_host as clientHost',
      'resources',
      'scopes',
      'refused_scopes as refusedScopes',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'last_used_at as lastUsedAt',
    ]);
}
