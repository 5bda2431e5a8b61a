import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * What the authorization server keeps. Whatever lets somebody in (codes, tokens, clients' secrets,
 * decisions) is here as its SHA-256 alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema
    .createTable('oauth_client')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('secret_hash', text)
    .addColumn('metadata', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('last_authorized_at', text)
    .execute();

  // A client may describe itself at an address of its own, so it need not be in the table above.
  await db.schema
    .createTable('oauth_grant')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('client_id', text, (column) => column.notNull())
    .addColumn('client_name', text, (column) => column.notNull())
    .addColumn('client_host', text, (column) => column.notNull())
    .addColumn('resources', text, (column) => column.notNull())
    .addColumn('scopes', text, (column) => column.notNull())
    .addColumn('refused_scopes', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addColumn('last_used_at', text)
    .execute();
  await index(db, 'oauth_grant', ['account_id', 'client_id']);
  await index(db, 'oauth_grant', ['client_id']);
  await index(db, 'oauth_grant', ['expires_at']);

  await db.schema
    .createTable('oauth_token')
    .addColumn('token_hash', text, (column) => column.primaryKey())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('grant_id', text, (column) =>
      column.notNull().references('oauth_grant.id').onDelete('cascade'),
    )
    .addColumn('scopes', text, (column) => column.notNull())
    .addColumn('audience', text)
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addColumn('consumed_at', text)
    .addCheckConstraint('oauth_token_hash', sql`length(token_hash) = 64`)
    .addCheckConstraint('oauth_token_kind', sql`kind in ('code', 'access', 'refresh')`)
    .execute();
  await index(db, 'oauth_token', ['grant_id']);
  await index(db, 'oauth_token', ['expires_at']);

  await db.schema
    .createTable('oauth_flow')
    .addColumn('id_hash', text, (column) => column.primaryKey())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('account_id', text, (column) => column.references('account.id').onDelete('cascade'))
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addCheckConstraint('oauth_flow_hash', sql`length(id_hash) = 64`)
    .addCheckConstraint('oauth_flow_kind', sql`kind in ('interaction', 'decision')`)
    .execute();
  await index(db, 'oauth_flow', ['account_id']);
  await index(db, 'oauth_flow', ['expires_at']);

  await db.schema
    .createTable('oauth_key')
    .addColumn('purpose', text, (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('secret', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('oauth_key_key', ['purpose', 'generation'])
    .addCheckConstraint('oauth_key_purpose', sql`purpose in ('signing', 'cookie')`)
    .execute();
}

async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
