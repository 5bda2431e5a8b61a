import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Where deleted documents wait. They have tables of their own, so that no query of documents can find one.
 * A name is not unique here: the same one can be deleted again and again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema
    .createTable('trashed_document')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('owner_type', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('visibility', text, (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('updated_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('deleted_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('deleted_at', text, (column) => column.notNull())
    .addColumn('title', text)
    .addColumn('storage_path', text)
    .addColumn('content', text)
    .addForeignKeyConstraint(
      'trashed_document_owner',
      ['owner_id', 'owner_type'],
      'owner',
      ['id', 'type'],
      (key) => key.onDelete('cascade'),
    )
    .addCheckConstraint('trashed_document_kind', sql`kind in ('brief', 'page')`)
    .addCheckConstraint(
      'trashed_document_visibility',
      sql`visibility in ('public', 'private')
        or (visibility = 'internal' and owner_type = 'organization')`,
    )
    .addCheckConstraint(
      'trashed_document_content',
      sql`(kind = 'brief' and content is not null and storage_path is null)
        or (kind = 'page' and content is null and storage_path is not null)`,
    )
    .execute();
  await db.schema
    .createIndex('trashed_document_by_storage_path')
    .unique()
    .on('trashed_document')
    .column('storage_path')
    .where('storage_path', 'is not', null)
    .execute();
  await index(db, 'trashed_document', ['owner_id', 'deleted_at', 'id']);
  await index(db, 'trashed_document', ['deleted_at']);
  await index(db, 'trashed_document', ['created_by']);
  await index(db, 'trashed_document', ['updated_by']);
  await index(db, 'trashed_document', ['deleted_by']);

  await db.schema
    .createTable('trashed_collaborator')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('document_id', text, (column) =>
      column.notNull().references('trashed_document.id').onDelete('cascade'),
    )
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('permission', text, (column) => column.notNull())
    .addColumn('added_at', text, (column) => column.notNull())
    .addUniqueConstraint('trashed_collaborator_once', ['document_id', 'account_id'])
    .addCheckConstraint(
      'trashed_collaborator_permission',
      sql`permission in ('read', 'write', 'admin')`,
    )
    .execute();
  await index(db, 'trashed_collaborator', ['account_id', 'document_id']);
}

async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
