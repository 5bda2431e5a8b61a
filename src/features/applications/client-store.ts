import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** An application that registered itself. */
export type ClientRow = Row<'oauth_client', 'id' | 'secretHash' | 'metadata'>;

export async function findClient(db: Reader, id: string): Promise<ClientRow | undefined> {
  return db
    .selectFrom('oauth_client')
    .where('id', '=', id)
    .select(['id', 'secretHash', 'metadata'])
    .executeTakeFirst();
}

export async function insertClient(
  db: Writer,
  client: Omit<Row<'oauth_client'>, 'lastAuthorizedAt'>,
): Promise<void> {
  await db.insertInto('oauth_client').values(client).execute();
}

export async function updateClientAuthorized(db: Writer, id: string, at: string): Promise<void> {
  await db.updateTable('oauth_client').set({ lastAuthorizedAt: at }).where('id', '=', id).execute();
}

/**
 * Deletes unused clients: those without any grant that registered before `neverUsedSince`, and
 * those last authorized before `lastUsedBefore` that have no grant left.
 *
 * @returns how many
 */
export async function deleteUnusedClients(
  db: Writer,
  { neverUsedSince, lastUsedBefore }: { neverUsedSince: string; lastUsedBefore: string },
): Promise<number> {
  const removed = await db
    .deleteFrom('oauth_client')
    .where((where) =>
      where.or([
        where.and([where('lastAuthorizedAt', 'is', null), where('createdAt', '<', neverUsedSince)]),
        where('lastAuthorizedAt', '<', lastUsedBefore),
      ]),
    )
    .where('id', 'not in', (grants) => grants.selectFrom('oauth_grant').select('clientId'))
    .returning('id')
    .execute();
  return removed.length;
}
