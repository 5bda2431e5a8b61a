import type { Kysely } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Adds in which browsers a document is being edited. Rows go with the session and the document. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  await db.schema
    .createTable('editing')
    .addColumn('document_id', text, (column) =>
      column.notNull().references('document.id').onDelete('cascade'),
    )
    .addColumn('session_id', text, (column) =>
      column.notNull().references('session.id').onDelete('cascade'),
    )
    .addColumn('at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('editing_key', ['document_id', 'session_id'])
    .modifyEnd(keptWithKey)
    .execute();
  await db.schema.createIndex('editing_by_session_id').on('editing').column('session_id').execute();
}
