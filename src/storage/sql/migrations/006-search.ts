import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** What a home is made of: documents by when they changed, the words in them, who changed what. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey, createWordIndex } = capabilitiesOf(db);
  await db.schema
    .createIndex('document_by_owner_id_kind_visibility_updated_at_id')
    .on('document')
    .columns(['owner_id', 'kind', 'visibility', 'updated_at', 'id'])
    .execute();

  await createWordIndex(db);

  await db.schema
    .createTable('search_pending')
    .addColumn('document_id', text, (column) => column.primaryKey())
    .addColumn('stamp', text, (column) => column.notNull())
    .addColumn('claimed_until', text, (column) => column.notNull())
    .modifyEnd(keptWithKey)
    .execute();
  await sql`
    insert into search_pending (document_id, stamp, claimed_until) select id, '', '' from document
  `.execute(db);

  await db.schema
    .createTable('document_change')
    .addColumn('document_id', text, (column) =>
      column.notNull().references('document.id').onDelete('cascade'),
    )
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('account_id', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('changed', text, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('document_change_key', ['document_id', 'version'])
    .addCheckConstraint('document_change_version', sql`version >= 2`)
    .modifyEnd(keptWithKey)
    .execute();
  await db.schema
    .createIndex('document_change_by_account_id')
    .on('document_change')
    .column('account_id')
    .execute();
}
