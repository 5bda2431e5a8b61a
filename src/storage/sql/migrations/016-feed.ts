import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds the feed: what happened to documents, whom it concerns, and who watches what. `event` and
 * `watch` refer to documents by id alone, like `revision`: a deleted document keeps them until it is
 * deleted for good.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  await db.schema
    .createTable('event')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('account_id', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('via', text)
    .addColumn('via_name', text)
    .addColumn('version', 'integer')
    .addColumn('thread_id', text)
    .addColumn('target_id', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('mentions', text)
    .addColumn('at', text, (column) => column.notNull())
    .addColumn('position', 'integer')
    .addCheckConstraint('event_via', sql`via in ('web', 'token', 'application')`)
    .addCheckConstraint('event_position', sql`position >= 1`)
    .execute();
  await db.schema
    .createIndex('event_by_position')
    .unique()
    .on('event')
    .column('position')
    .where(sql.ref('position'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('event_without_position')
    .on('event')
    .column('id')
    .where(sql.ref('position'), 'is', null)
    .execute();
  await index(db, 'event', ['document_id', 'position']);
  await index(db, 'event', ['account_id']);
  await db.schema
    .createIndex('event_by_target_id')
    .on('event')
    .column('target_id')
    .where(sql.ref('target_id'), 'is not', null)
    .execute();

  await db.schema
    .createTable('feed')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('removed_until', 'integer', (column) => column.notNull())
    .addCheckConstraint('feed_one_row', sql`id = 1`)
    .execute();

  await db.schema
    .createTable('inbox')
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('read_at', text)
    .addPrimaryKeyConstraint('inbox_key', ['account_id', 'position'])
    .addCheckConstraint('inbox_reason', sql`reason in ('mention', 'review', 'watching', 'own')`)
    .modifyEnd(keptWithKey)
    .execute();
  await index(db, 'inbox', ['position']);
  await db.schema
    .createIndex('inbox_unread')
    .on('inbox')
    .columns(['account_id', 'position'])
    .where(sql.ref('read_at'), 'is', null)
    .execute();

  await db.schema
    .createTable('watch')
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('level', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('watch_key', ['document_id', 'account_id'])
    .addCheckConstraint('watch_level', sql`level in ('all', 'mentions', 'none')`)
    .modifyEnd(keptWithKey)
    .execute();
  await index(db, 'watch', ['account_id']);
  // Who wrote a document watches it.
  await sql`
    insert into watch (document_id, account_id, level)
    select distinct document_id, account_id, 'all' from revision where account_id is not null
  `.execute(db);
}

async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
