import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds the texts of proposals: whole edits of a document, offered instead of made. The thread of kind
 * `proposal` says who offers it and to which version it was made.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, bytes } = capabilitiesOf(db);
  await db.schema
    .createTable('proposal')
    .addColumn('thread_id', text, (column) =>
      column.primaryKey().references('thread.id').onDelete('cascade'),
    )
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('stored_bytes', 'integer', (column) => column.notNull())
    .addColumn('storage_path', text)
    .addColumn('body', bytes)
    .addColumn('added', 'integer', (column) => column.notNull())
    .addColumn('removed', 'integer', (column) => column.notNull())
    .addCheckConstraint('proposal_body', sql`(body is null) <> (storage_path is null)`)
    .execute();
  await db.schema
    .createIndex('proposal_by_storage_path')
    .unique()
    .on('proposal')
    .column('storage_path')
    .where('storage_path', 'is not', null)
    .execute();
}
