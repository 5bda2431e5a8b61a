import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Records who has seen words in the web app, so that an approval covers no others: for a suggestion,
 * who wrote and placed it there; for a revision, whose approvals it leaves valid. For older rows
 * nothing is known, so they count as seen by no one.
 *
 * Also adds addresses that stay protected after their document has left, whether a document's writer
 * can approve it alone, and since when readers see threads.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  for (const table of ['thread', 'revision']) {
    await db.schema
      .alterTable(table)
      .addColumn('seen_by', text, (column) => column.references('account.id').onDelete('set null'))
      .execute();
    await db.schema
      .createIndex(`${table}_by_seen_by`)
      .on(table)
      .column('seen_by')
      .where('seen_by', 'is not', null)
      .execute();
  }

  await db.schema
    .alterTable('organization')
    .addColumn('two_people', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema
    .alterTable('review_setting')
    .addColumn('two_people', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('review_setting').addColumn('threads_since', text).execute();
  // Readers see no thread from before their document was last opened to them.
  await sql`update review_setting set threads_since = (
      select max(at) from revision
      where revision.document_id = review_setting.document_id
        and (changed like '%visibility%' or changed like '%owner%')
    ) where comments = 'readers'`.execute(db);
  await sql`insert into review_setting (document_id, comments, threads_since)
    select document_id, 'insiders', min(created_at) from document_link
    where access = 'comment'
      and document_id not in (select document_id from review_setting)
    group by document_id`.execute(db);

  await db.schema
    .createTable('protected_address')
    .addColumn('owner_id', text, (column) =>
      column.notNull().references('owner.id').onDelete('cascade'),
    )
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('two_people', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('protected_address_key', ['owner_id', 'kind', 'name'])
    .modifyEnd(keptWithKey)
    .execute();
}
