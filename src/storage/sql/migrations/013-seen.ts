import type { Kysely } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Adds which version of a document somebody saw last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  await db.schema
    .createTable('seen')
    .addColumn('document_id', text, (column) =>
      column.notNull().references('document.id').onDelete('cascade'),
    )
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('version', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('seen_key', ['document_id', 'account_id'])
    .modifyEnd(keptWithKey)
    .execute();
  await db.schema.createIndex('seen_by_account_id').on('seen').column('account_id').execute();
}
