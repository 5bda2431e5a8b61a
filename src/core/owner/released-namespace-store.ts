import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** Records when a namespace was released, or updates the time. */
export async function upsertReleasedNamespace(
  db: Writer,
  namespace: string,
  releasedAt: string,
): Promise<void> {
  await db
    .insertInto('released_namespace')
    .values({ namespace, releasedAt })
    .onConflict((conflict) => conflict.column('namespace').doUpdateSet({ releasedAt }))
    .execute();
}

/**
 * Returns when a namespace was released; `undefined` if it wasn't, or the record has been deleted.
 */
export async function findReleasedAt(db: Reader, namespace: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('released_namespace')
    .where('namespace', '=', namespace)
    .select('releasedAt')
    .executeTakeFirst();
  return row?.releasedAt;
}

export async function deleteReleasedNamespace(db: Writer, namespace: string): Promise<void> {
  await db.deleteFrom('released_namespace').where('namespace', '=', namespace).execute();
}

/** Deletes the records of namespaces released before a time. @returns how many */
export async function deleteReleasedBefore(db: Writer, before: string): Promise<number> {
  const [deleted] = await db
    .deleteFrom('released_namespace')
    .where('releasedAt', '<=', before)
    .execute();
  return Number(deleted?.numDeletedRows ?? 0);
}
