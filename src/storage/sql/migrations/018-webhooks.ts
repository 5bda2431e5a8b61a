import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds webhooks and their deliveries. A delivery goes with its event, so that nothing is left of a
 * document that is deleted for good. Deliveries without an event are tests.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema
    .createTable('webhook')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('owner_id', text, (column) =>
      column.notNull().references('owner.id').onDelete('cascade'),
    )
    .addColumn('account_id', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('types', text, (column) => column.notNull())
    .addColumn('secret', text, (column) => column.notNull())
    .addColumn('previous_secret', text)
    .addColumn('previous_until', text)
    .addColumn('failing_since', text)
    .addColumn('disabled_at', text)
    .addColumn('disabled_because', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addCheckConstraint('webhook_disabled', sql`disabled_because in ('request', 'gone', 'failing')`)
    .addCheckConstraint(
      'webhook_state',
      sql`(disabled_at is null) = (disabled_because is null)
        and (previous_secret is null) = (previous_until is null)`,
    )
    .execute();
  await index(db, 'webhook', ['owner_id']);
  await index(db, 'webhook', ['account_id']);

  await db.schema
    .createTable('webhook_delivery')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('webhook_id', text, (column) =>
      column.notNull().references('webhook.id').onDelete('cascade'),
    )
    .addColumn('event_id', text, (column) => column.references('event.id').onDelete('cascade'))
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('next_at', text)
    .addColumn('code', 'integer')
    .addColumn('fault', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('attempted_at', text)
    .addCheckConstraint(
      'webhook_delivery_status',
      sql`status in ('pending', 'delivered', 'failed')`,
    )
    .addCheckConstraint(
      'webhook_delivery_pending',
      sql`(status = 'pending') = (next_at is not null)`,
    )
    .addCheckConstraint(
      'webhook_delivery_fault',
      sql`fault in ('address', 'connection', 'timeout', 'status', 'disabled')`,
    )
    .execute();
  await index(db, 'webhook_delivery', ['webhook_id', 'id']);
  await index(db, 'webhook_delivery', ['event_id']);
  await index(db, 'webhook_delivery', ['created_at']);
  await db.schema
    .createIndex('webhook_delivery_pending')
    .on('webhook_delivery')
    .columns(['next_at', 'webhook_id'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute();
}

async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
