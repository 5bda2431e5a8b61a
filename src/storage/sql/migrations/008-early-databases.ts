import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Brings databases up to date that an early 001 or 006 created: both files changed after they had
 * been used. A database that has today's form already is left as it is, except for `rendition`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, bytes, choose } = capabilitiesOf(db);
  await choose({ sqlite: onSqlite, postgres: onPostgres })(db);

  // One row for each revision of the renderer, so that processes of two versions that run side by
  // side do not overwrite each other's. The rows are made again when they are next needed.
  await db.schema.dropTable('rendition').execute();
  await db.schema
    .createTable('rendition')
    .addColumn('document_id', text, (column) =>
      column.notNull().references('document.id').onDelete('cascade'),
    )
    .addColumn('revision', text, (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('html', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('rendition_key', ['document_id', 'revision'])
    .execute();
}

async function onSqlite(db: Kysely<unknown>): Promise<void> {
  // The index for searches is in a file of its own now, and is built again where there is none.
  for (const table of ['document_words_term', 'document_words', 'document_text']) {
    await sql`drop table if exists ${sql.table(table)}`.execute(db);
  }
  await redefine(db, 'document', (definition) =>
    definition.replace('"storage_path" text unique', '"storage_path" text'),
  );
  await createStoragePathIndex(db);
  await redefine(db, 'search_pending', (definition) =>
    withoutRowid(definition.replace(' references "document" ("id") on delete cascade', '')),
  );
  await redefine(db, 'document_change', withoutRowid);
}

function withoutRowid(definition: string): string {
  return /without rowid$/.test(definition) ? definition : `${definition} without rowid`;
}

/**
 * Changes the definition of a table by copying it, as SQLite cannot change constraints in place.
 * Foreign keys have to be off, or dropping the table would delete the rows that refer to it.
 */
async function redefine(
  db: Kysely<unknown>,
  table: string,
  change: (definition: string) => string,
): Promise<void> {
  const { rows } = await sql<{ type: string; sql: string }>`
    select type, sql from sqlite_schema where tbl_name = ${table} and sql is not null`.execute(db);
  const before = rows.find(({ type }) => type === 'table')?.sql ?? '';
  const after = change(before);
  if (after === before) return;
  const copy = `${table}_copy`;
  await sql.raw(after.replace(`"${table}"`, `"${copy}"`)).execute(db);
  await sql`insert into ${sql.table(copy)} select * from ${sql.table(table)}`.execute(db);
  await sql`drop table ${sql.table(table)}`.execute(db);
  await sql`alter table ${sql.table(copy)} rename to ${sql.table(table)}`.execute(db);
  for (const index of rows.filter(({ type }) => type === 'index')) {
    await sql.raw(index.sql).execute(db);
  }
}

async function onPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`alter table document drop constraint if exists document_storage_path_key`.execute(db);
  await createStoragePathIndex(db);
  await sql`alter table search_pending drop constraint if exists search_pending_document_id_fkey`.execute(
    db,
  );
  const { rows } = await sql`
    select from pg_constraint where conrelid = 'document_text'::regclass and contype = 'f'`.execute(
    db,
  );
  if (rows.length === 0) return;
  // Early rows are numbered in another way, so all documents are indexed again.
  await sql`drop table document_text`.execute(db);
  await capabilitiesOf(db).createWordIndex(db);
  await sql`
    insert into search_pending (document_id, stamp, claimed_until)
    select id, '', '' from document on conflict do nothing`.execute(db);
}

async function createStoragePathIndex(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('document_by_storage_path')
    .ifNotExists()
    .unique()
    .on('document')
    .column('storage_path')
    .where('storage_path', 'is not', null)
    .execute();
}
