import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Adds what people say about documents: threads of comments and suggestions, requests for reviews, and
 * reviews. The tables refer to documents by id alone, like `revision`: a deleted document keeps them
 * until it is deleted for good.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);

  await db.schema
    .createTable('review_setting')
    .addColumn('document_id', text, (column) => column.primaryKey())
    .addColumn('comments', text, (column) => column.notNull())
    .addColumn('protected', 'integer', (column) => column.notNull().defaultTo(0))
    .addCheckConstraint('review_setting_comments', sql`comments in ('insiders', 'readers', 'off')`)
    .addCheckConstraint('review_setting_protected', sql`protected in (0, 1)`)
    .execute();
  await db.schema
    .alterTable('organization')
    .addColumn('protected', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable('thread')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('made_version', 'integer', (column) => column.notNull())
    .addColumn('made_start', 'integer')
    .addColumn('made_end', 'integer')
    .addColumn('quote', text)
    .addColumn('prefix', text)
    .addColumn('suffix', text)
    .addColumn('at_version', 'integer', (column) => column.notNull())
    .addColumn('at_start', 'integer')
    .addColumn('at_end', 'integer')
    .addColumn('at_state', text)
    .addColumn('shown_start', 'integer')
    .addColumn('shown_end', 'integer')
    .addColumn('shown_state', text)
    .addColumn('replacement', text)
    .addColumn('account_id', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('via', text)
    .addColumn('via_name', text)
    .addColumn('assignee_id', text, (column) =>
      column.references('account.id').onDelete('set null'),
    )
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('closed_by', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('closed_version', 'integer')
    .addCheckConstraint('thread_kind', sql`kind in ('comment', 'replacement', 'proposal')`)
    .addCheckConstraint('thread_state', sql`state in ('open', 'resolved', 'accepted', 'rejected')`)
    .addCheckConstraint('thread_via', sql`via in ('web', 'token', 'application')`)
    .addCheckConstraint(
      'thread_place',
      sql`(quote is null) = (made_start is null) and (quote is null) = (at_start is null)
        and (quote is null) = (shown_start is null)`,
    )
    .execute();
  await index(db, 'thread', ['document_id', 'state', 'id']);
  await index(db, 'thread', ['account_id']);
  await index(db, 'thread', ['assignee_id']);
  await index(db, 'thread', ['closed_by']);

  await db.schema
    .createTable('comment')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('thread_id', text, (column) =>
      column.notNull().references('thread.id').onDelete('cascade'),
    )
    .addColumn('account_id', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('via', text)
    .addColumn('via_name', text)
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('edited_at', text)
    .addCheckConstraint('comment_via', sql`via in ('web', 'token', 'application')`)
    .execute();
  await index(db, 'comment', ['thread_id', 'id']);
  await index(db, 'comment', ['account_id']);

  await db.schema
    .createTable('review_request')
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('account_id', text, (column) =>
      column.notNull().references('account.id').onDelete('cascade'),
    )
    .addColumn('requested_by', text, (column) =>
      column.references('account.id').onDelete('set null'),
    )
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('note', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('review_request_key', ['document_id', 'account_id'])
    .modifyEnd(keptWithKey)
    .execute();
  await index(db, 'review_request', ['account_id']);
  await index(db, 'review_request', ['requested_by']);

  await db.schema
    .createTable('review')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('account_id', text, (column) => column.references('account.id').onDelete('set null'))
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('verdict', text, (column) => column.notNull())
    .addColumn('body', text)
    .addColumn('via', text)
    .addColumn('via_name', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addCheckConstraint('review_verdict', sql`verdict in ('approved', 'changes_requested')`)
    .addCheckConstraint('review_via', sql`via in ('web', 'token', 'application')`)
    .execute();
  await index(db, 'review', ['document_id', 'id']);
  await index(db, 'review', ['account_id']);
}

async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
