import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds tickets to upload one document or file. A ticket goes with the token or the grant that it was
 * given to, and with the document that it replaces the text of.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema
    .createTable('upload_ticket')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('secret_hash', text, (column) => column.notNull().unique())
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('token_id', text, (column) =>
      column.references('access_token.id').onDelete('cascade'),
    )
    .addColumn('grant_id', text, (column) =>
      column.references('oauth_grant.id').onDelete('cascade'),
    )
    .addColumn('document_id', text, (column) =>
      column.references('document.id').onDelete('cascade'),
    )
    .addColumn('task', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addCheckConstraint('upload_ticket_credential', sql`(token_id is null) <> (grant_id is null)`)
    .execute();
  for (const column of ['account_id', 'token_id', 'grant_id', 'document_id', 'expires_at']) {
    await db.schema
      .createIndex(`upload_ticket_by_${column}`)
      .on('upload_ticket')
      .column(column)
      .execute();
  }
}
