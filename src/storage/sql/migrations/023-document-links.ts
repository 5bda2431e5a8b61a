import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds secret links to documents. Only the hash of a link's secret is stored. Links go with their
 * document, also to the trash: what is restored is not open again to whoever held a link.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema
    .createTable('document_link')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('document_id', text, (column) =>
      column.notNull().references('document.id').onDelete('cascade'),
    )
    .addColumn('secret_hash', text, (column) => column.notNull().unique())
    .addColumn('access', text, (column) => column.notNull())
    .addColumn('note', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text)
    .addCheckConstraint('document_link_access', sql`access in ('read', 'comment')`)
    .execute();
  await index(db, ['document_id', 'id']);
  await index(db, ['created_by']);
  await index(db, ['expires_at']);
}

async function index(db: Kysely<unknown>, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`document_link_by_${columns.join('_')}`)
    .on('document_link')
    .columns(columns)
    .execute();
}
