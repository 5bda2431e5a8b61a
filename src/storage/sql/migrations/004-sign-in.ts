import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** People sign in: with a password, or through an upstream provider; what they get is a session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema.alterTable('account').addColumn('password_hash', text).execute();

  await db.schema
    .createTable('session')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('last_used_at', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addColumn('user_agent', text, (column) => column.notNull())
    .addCheckConstraint('session_token_hash', sql`length(token_hash) = 64`)
    .execute();
  await db.schema
    .createIndex('session_by_account_id_id')
    .on('session')
    .columns(['account_id', 'id'])
    .execute();
  await db.schema.createIndex('session_by_expires_at').on('session').column('expires_at').execute();

  await db.schema
    .createTable('upstream_identity')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('issuer', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addUniqueConstraint('upstream_identity_once', ['issuer', 'subject'])
    .execute();
  await db.schema
    .createIndex('upstream_identity_by_account_id')
    .on('upstream_identity')
    .column('account_id')
    .execute();
}
