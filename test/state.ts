import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Context } from '../src/context.ts';

const DERIVED = /^(rendition|search_pending|document_(text|words).*)$/;

/**
 * Every row that a request could have written, by table, to be compared before and after. Left out
 * is what reading alone may change, pages made of documents and when tokens were last used, and the
 * index of their words, which follows the documents in its own time.
 */
export async function databaseState({
  sql,
}: Context): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await sql.read.introspection.getTables();
  const names = tables.map(({ name }) => name).filter((name) => !DERIVED.test(name));
  const read = sql.read.withTables<Record<string, Record<string, unknown>>>();
  const state: Record<string, Record<string, unknown>[]> = {};
  for (const name of names.sort()) {
    const all = read.selectFrom(name);
    // How old texts are stored changes while they are packed.
    const rows: Record<string, unknown>[] =
      name === 'revision_text'
        ? await all.select(['document_id', 'last_version']).execute()
        : await all.selectAll().execute();
    state[name] = rows
      .map(({ last_used_at, ...columns }) => columns)
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return state;
}

/** Every key of the blob store, sorted; on a disk the unfinished ones, too. */
export async function storedBlobs({ blobs }: Context): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list()) keys.push(key);
  return keys.sort();
}

/** The bytes of one blob. */
export async function storedBytes({ blobs }: Context, key: string): Promise<Buffer> {
  return buffer((await blobs.read(key)) as Readable);
}

/** The keys that rows name, sorted. */
export async function namedBlobs({ sql }: Context): Promise<string[]> {
  const documents = sql.read.selectFrom('document').select('storage_path as key');
  const files = sql.read.selectFrom('file').select('storage_path as key');
  const rows = await documents
    .where('storage_path', 'is not', null)
    .unionAll(files)
    .unionAll(
      sql.read
        .selectFrom('trashed_document')
        .select('storage_path as key')
        .where('storage_path', 'is not', null),
    )
    .unionAll(
      sql.read
        .selectFrom('revision_text')
        .select('storage_path as key')
        .where('storage_path', 'is not', null),
    )
    .$narrowType<{ key: string }>()
    .execute();
  return rows.map(({ key }) => key).sort();
}
