import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Context } from '../src/core/context.ts';

const DERIVED =
  /^(rendition|search_pending|document_(text|words).*|page_text|feed|inbox|mail|watch|webhook_delivery|presence|instance_state)$/;

/**
 * Returns every row that a request could have written, by table, to compare before and after.
 * Leaves out what reads may change, such as renditions, times of last use and who is where, what is done later (the
 * search index, the feed, sending mail), and when migrations ran.
 */
export async function databaseState({
  sql,
}: Context): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await sql.read.introspection.getTables();
  const names = tables
    .filter(({ name, isView }) => !isView && !DERIVED.test(name))
    .map(({ name }) => name);
  const read = sql.read.withTables<Record<string, Record<string, unknown>>>();
  const state: Record<string, Record<string, unknown>[]> = {};
  for (const name of names.sort()) {
    const all = read.selectFrom(name);
    // Packing changes how old texts are stored.
    const rows: Record<string, unknown>[] =
      name === 'revision_text'
        ? await all.select(['documentId', 'lastVersion']).execute()
        : await all.selectAll().execute();
    state[name] = rows
      .map(({ lastUsedAt, position, timestamp, ...columns }) => columns)
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return state;
}

/** Returns every key of the blob store, sorted; on a disk also unfinished ones. */
export async function storedBlobs({ blobs }: Context): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list()) keys.push(key);
  return keys.sort();
}

/** Returns the bytes of a blob. */
export async function storedBytes({ blobs }: Context, key: string): Promise<Buffer> {
  return buffer((await blobs.read(key)) as Readable);
}

/** Returns the blob keys that rows refer to, sorted. */
export async function namedBlobs({ sql }: Context): Promise<string[]> {
  const documents = sql.read.selectFrom('stored_document').select('storagePath as key');
  const files = sql.read.selectFrom('file').select('storagePath as key');
  const rows = await documents
    .where('storagePath', 'is not', null)
    .unionAll(files)
    .unionAll(
      sql.read
        .selectFrom('revision_text')
        .select('storagePath as key')
        .where('storagePath', 'is not', null),
    )
    .unionAll(
      sql.read
        .selectFrom('proposal')
        .select('storagePath as key')
        .where('storagePath', 'is not', null),
    )
    .$narrowType<{ key: string }>()
    .execute();
  return rows.map(({ key }) => key).sort();
}
