import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Keeps deleted documents in the same table as others, `stored_document`, with the time of their
 * deletion, and their collaborators in `collaborator`. `document` is now a view of the documents that
 * aren't deleted. Rows that documents keep in the trash refer to them by foreign keys.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { choose } = capabilitiesOf(db);
  await sql`alter table document rename to stored_document`.execute(db);
  for (const index of CHANGED_INDEXES) await sql`drop index ${sql.ref(index)}`.execute(db);
  await choose({ sqlite: addColumnsOnSqlite, postgres: addColumnsOnPostgres })(db);
  await takeRowsOver(db);
  await createIndexes(db);
  for (const table of KEPT_IN_TRASH) {
    await sql`delete from ${sql.table(table)} where document_id not in (select id from stored_document)`.execute(
      db,
    );
    await choose({ sqlite: referOnSqlite, postgres: referOnPostgres })(db, table);
  }
  await createDocumentView(db);
}

/**
 * Creates the view `document`. On PostgreSQL, a view keeps its columns, so a migration that adds a
 * column to `stored_document` has to call this, too.
 */
export async function createDocumentView(db: Kysely<unknown>): Promise<void> {
  await sql`drop view if exists document`.execute(db);
  await sql`create view document as select * from stored_document where deleted_at is null`.execute(
    db,
  );
}

const CHANGED_INDEXES = [
  'document_by_owner_id_kind_visibility_id',
  'document_by_owner_id_kind_visibility_updated_at_id',
  'document_public_by_id',
  'document_by_title',
];

/** Tables whose rows referred to a document by id alone, so that it kept them in the trash. */
const KEPT_IN_TRASH = [
  'document_alias',
  'document_label',
  'pinned_document',
  'revision',
  'revision_text',
  'review_setting',
  'thread',
  'review_request',
  'review',
  'event',
  'watch',
];

/** The columns that both tables of documents had. */
const COLUMNS = sql.raw(
  'id, kind, owner_id, owner_type, name, visibility, version, size_bytes, created_by, updated_by, ' +
    'created_at, updated_at, title, storage_path, content',
);

const DELETION =
  'constraint document_deletion check (deleted_by is null or deleted_at is not null)';

async function addColumnsOnSqlite(db: Kysely<unknown>): Promise<void> {
  await redefine(db, 'stored_document', (definition) =>
    definition
      .replace(/constraint document_name unique [^)]+\),/, '')
      // SQLite skips over the content to read a column after it.
      .replace(
        /content text,/,
        `deleted_by text references account (id) on delete set null, deleted_at text, content text, ${DELETION},`,
      ),
  );
}

async function addColumnsOnPostgres(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await sql`alter table stored_document drop constraint document_name,
    add column deleted_by ${text} references account (id) on delete set null,
    add column deleted_at ${text}, add ${sql.raw(DELETION)}`.execute(db);
}

async function referOnSqlite(db: Kysely<unknown>, table: string): Promise<void> {
  await redefine(db, table, (definition) =>
    definition.replace(
      /\bdocument_id text [^,]+/,
      '$& references stored_document (id) on delete cascade',
    ),
  );
}

async function referOnPostgres(db: Kysely<unknown>, table: string): Promise<void> {
  await sql`alter table ${sql.table(table)}
    add foreign key (document_id) references stored_document (id) on delete cascade`.execute(db);
}

/**
 * Changes a table's definition, which on SQLite means to copy it (SQLite documentation, ALTER TABLE).
 * Rows of other tables may refer to it by its name.
 */
async function redefine(
  db: Kysely<unknown>,
  table: string,
  change: (definition: string) => string,
): Promise<void> {
  const { rows } = await sql<{ type: string; definition: string }>`
    select type, sql as definition from sqlite_schema
    where tbl_name = ${table} and sql is not null order by type = 'table' desc`.execute(db);
  const [{ definition }, ...indexes] = rows as [(typeof rows)[0], ...typeof rows];
  const changed = change(definition);
  if (changed === definition) throw new Error(`The table ${table} is defined in another way.`);
  const named = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(
    db,
  );
  const columns = sql.join(named.rows.map(({ name }) => sql.ref(name)));
  await sql.raw(changed.replace(/^create table "?\w+"?/i, 'create table redefined')).execute(db);
  await sql`insert into redefined (${columns}) select ${columns} from ${sql.table(table)}`.execute(
    db,
  );
  await sql`drop table ${sql.table(table)}`.execute(db);
  await sql`alter table redefined rename to ${sql.table(table)}`.execute(db);
  for (const index of indexes) await sql.raw(index.definition).execute(db);
}

async function takeRowsOver(db: Kysely<unknown>): Promise<void> {
  await sql`insert into stored_document (${COLUMNS}, deleted_by, deleted_at)
    select ${COLUMNS}, deleted_by, deleted_at from trashed_document`.execute(db);
  await sql`insert into collaborator (id, document_id, account_id, permission, added_at)
    select id, document_id, account_id, permission, added_at from trashed_collaborator`.execute(db);
  await sql`drop table trashed_collaborator`.execute(db);
  await sql`drop table trashed_document`.execute(db);
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  // SQLite reads the row for a column of an index's condition, unless the index has this column.
  const deletedAt = capabilitiesOf(db).choose({ sqlite: sql`, deleted_at`, postgres: sql`` });
  const statements = [
    sql`create unique index document_name on stored_document (owner_id, kind, name)
      where deleted_at is null`,
    sql`create index document_by_owner_id_kind_visibility_updated_at_id on stored_document (owner_id, kind,
      visibility, updated_at, id ${deletedAt}) where deleted_at is null`,
    sql`create index document_public_by_id on stored_document (id ${deletedAt})
      where visibility = 'public' and deleted_at is null`,
    // Has deleted documents, too: the foreign key to their owner needs an index.
    sql`create index document_by_title on stored_document (owner_id, kind, visibility,
      lower(coalesce(title, name)), id, deleted_at)`,
    sql`create index document_by_owner_id_deleted_at_id on stored_document (owner_id, deleted_at, id)
      where deleted_at is not null`,
    // Finds the few deleted ones among a person's collaborations.
    sql`create index document_by_id_deleted_at_owner_id on stored_document (id, deleted_at, owner_id)
      where deleted_at is not null`,
    sql`create index document_by_deleted_at on stored_document (deleted_at) where deleted_at is not null`,
    sql`create index document_by_deleted_by on stored_document (deleted_by) where deleted_by is not null`,
    // SQLite prefers the newest of several indexes that have all columns, so counts use this one.
    sql`create index document_by_owner_id_kind_visibility_id on stored_document (owner_id, kind, visibility,
      id ${deletedAt}) where deleted_at is null`,
  ];
  for (const statement of statements) await statement.execute(db);
}
