import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds the former names of documents. They refer to documents by id alone, like `revision`: a
 * document in the trash keeps them. `visibility` is the document's when it gave the name up.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  await db.schema
    .createTable('document_alias')
    .addColumn('owner_id', text, (column) =>
      column.notNull().references('owner.id').onDelete('cascade'),
    )
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('visibility', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('document_alias_key', ['owner_id', 'kind', 'name'])
    .addCheckConstraint('document_alias_kind', sql`kind in ('brief', 'page')`)
    .addCheckConstraint(
      'document_alias_visibility',
      sql`visibility in ('public', 'private', 'internal')`,
    )
    .modifyEnd(keptWithKey)
    .execute();
  await db.schema
    .createIndex('document_alias_by_document_id')
    .on('document_alias')
    .column('document_id')
    .execute();
}
