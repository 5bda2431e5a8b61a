import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Keeps every text that was saved. `document_change` becomes `revision`, with a row for version 1 too.
 * The tables refer to documents by id alone, without a foreign key: a deleted document keeps its
 * revisions until it is deleted for good.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, bytes, keptWithKey } = capabilitiesOf(db);
  await db.schema
    .createTable('revision')
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('account_id', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('via', text)
    .addColumn('via_name', text)
    .addColumn('changed', text, (column) => column.notNull())
    .addColumn('message', text)
    .addColumn('base_version', 'integer')
    .addColumn('merged', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('restored_from', 'integer')
    .addColumn('pinned', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('revision_key', ['document_id', 'version'])
    .addCheckConstraint('revision_version', sql`version >= 1`)
    .addCheckConstraint('revision_via', sql`via in ('web', 'token', 'application')`)
    .addCheckConstraint('revision_flags', sql`merged in (0, 1) and pinned in (0, 1)`)
    .modifyEnd(keptWithKey)
    .execute();
  await db.schema
    .createIndex('revision_by_account_id')
    .on('revision')
    .column('account_id')
    .execute();

  await db.schema
    .createTable('revision_text')
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('last_version', 'integer', (column) => column.notNull())
    .addColumn('coding', text, (column) => column.notNull())
    .addColumn('dict_version', 'integer')
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('stored_bytes', 'integer', (column) => column.notNull())
    .addColumn('storage_path', text)
    .addColumn('body', bytes)
    .addPrimaryKeyConstraint('revision_text_key', ['document_id', 'last_version'])
    .addCheckConstraint(
      'revision_text_coding',
      sql`coding in ('raw', 'zst', 'zst+dict', 'gone')
        and (coding = 'zst+dict') = (dict_version is not null)`,
    )
    .addCheckConstraint(
      'revision_text_body',
      sql`case when coding = 'gone' then body is null and storage_path is null
        else (body is null) <> (storage_path is null) end`,
    )
    .execute();
  await db.schema
    .createIndex('revision_text_by_storage_path')
    .unique()
    .on('revision_text')
    .column('storage_path')
    .where('storage_path', 'is not', null)
    .execute();
  await db.schema
    .createIndex('revision_text_raw')
    .on('revision_text')
    .columns(['document_id', 'last_version'])
    .where(sql.ref('coding'), '=', sql.lit('raw'))
    .execute();

  await sql`
    insert into revision (document_id, version, account_id, changed, at)
    select id, 1, created_by, 'content name visibility', created_at from document
    union all select document_id, version, account_id, changed, at from document_change
  `.execute(db);
  // Texts from before were not kept: the current one is all there is, since the version that wrote it.
  await sql`
    insert into revision_text (document_id, last_version, coding, size_bytes, stored_bytes)
    select document_id, first_version - 1, 'gone', 0, 0 from (
      select document_id, coalesce(
        max(case when ' ' || changed || ' ' like '% content %' then version end),
        case when min(version) = 2 then 1 else min(version) end) as first_version
      from document_change group by document_id) as known
    where first_version > 1
  `.execute(db);
  await db.schema.dropTable('document_change').execute();
}
