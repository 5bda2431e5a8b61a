import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds labels of documents, documents pinned to the top of their owner's lists, and the order of lists
 * by title. Labels and pins refer to their document by id alone, because it keeps them in the trash.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  await db.schema
    .createTable('document_label')
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('label', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('document_label_key', ['document_id', 'key'])
    .modifyEnd(keptWithKey)
    .execute();
  await db.schema
    .createIndex('document_label_by_owner_key')
    .on('document_label')
    .columns(['owner_id', 'key', 'document_id'])
    .execute();
  await db.schema
    .createIndex('document_label_by_owner_document')
    .on('document_label')
    .columns(['owner_id', 'document_id'])
    .execute();

  await db.schema
    .createTable('pinned_document')
    .addColumn('document_id', text, (column) => column.primaryKey())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('pinned_at', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('pinned_document_by_owner')
    .on('pinned_document')
    .columns(['owner_id', 'pinned_at'])
    .execute();

  await sql`create index document_by_title
    on document (owner_id, kind, visibility, lower(coalesce(title, name)), id)`.execute(db);
}
