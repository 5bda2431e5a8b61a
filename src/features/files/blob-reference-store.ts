import type { Reader } from '../../storage/sql/sql.ts';

/** Returns which of these blob keys any row refers to. */
export async function findNamedBlobs(db: Reader, keys: string[]): Promise<Set<string>> {
  const named = await db
    .selectFrom('stored_document')
    .select('storagePath as key')
    .where('storagePath', 'in', keys)
    .unionAll(db.selectFrom('file').select('storagePath as key').where('storagePath', 'in', keys))
    .unionAll(
      db.selectFrom('revision_text').select('storagePath as key').where('storagePath', 'in', keys),
    )
    .unionAll(
      db.selectFrom('proposal').select('storagePath as key').where('storagePath', 'in', keys),
    )
    .execute();
  return new Set(named.map(({ key }) => key as string));
}
