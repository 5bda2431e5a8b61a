import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** An application that registered itself. */
export interface ClientRow {
  id: string;
  /** SHA-256 in hexadecimal; `null` if it has no secret. */
  secretHash: string | null;
  /** JSON, as registered, without the secret. */
  metadata: string;
}

export async function findClient(db: Reader, id: string): Promise<ClientRow | undefined> {
  return db
    .selectFrom('oauth_client')
    .where('id', '=', id)
    .select(['id', 'secret_hash as secretHash', 'metadata'])
    .executeTakeFirst();
}

export async function insertClient(
  db: Writer,
  client: ClientRow & { createdAt: string },
): Promise<void> {
  await db
    .insertInto('oauth_client')
    .values({
      id: client.id,
      secret_hash: client.secretHash,
      metadata: client.metadata,
      created_at: client.createdAt,
      last_authorized_at: null,
    })
    .execute();
}

export async function updateClientAuthorized(db: Writer, id: string, at: string): Promise<void> {
  await db
    .updateTable('oauth_client')
    .set({ last_authorized_at: at })
    .where('id', '=', id)
    .execute();
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
        where.and([
          where('last_authorized_at', 'is', null),
          where('created_at', '<', neverUsedSince),
        ]),
        where('last_authorized_at', '<', lastUsedBefore),
      ]),
    )
    .where('id', 'not in', (grants) => grants.selectFrom('oauth_grant').select('client_id'))
    .returning('id')
    .execute();
  return removed.length;
}
