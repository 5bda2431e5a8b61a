import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Lets lists filtered by a label be read from an index in each order: labels get their document's kind,
 * visibility, time of change and title. Those of a document in the trash have no visibility. Also counts
 * how many documents of an owner have each label.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  for (const column of ['kind', 'visibility', 'updated_at', 'title_key']) {
    await db.schema.alterTable('document_label').addColumn(column, text).execute();
  }
  await sql`update document_label
    set kind = document.kind, visibility = document.visibility, updated_at = document.updated_at,
      title_key = lower(coalesce(document.title, document.name))
    from document where document.id = document_label.document_id`.execute(db);

  for (const index of ['owner_key', 'owner_document']) {
    await db.schema.dropIndex(`document_label_by_${index}`).execute();
  }
  for (const [order, columns] of [
    ['change', ['updated_at']],
    ['creation', []],
    ['title', ['title_key']],
  ] as const) {
    await db.schema
      .createIndex(`document_label_by_${order}`)
      .on('document_label')
      .columns(['owner_id', 'key', 'kind', 'visibility', ...columns, 'document_id'])
      .execute();
  }

  await db.schema
    .createTable('label_count')
    .addColumn('owner_id', text, (column) =>
      column.notNull().references('owner.id').onDelete('cascade'),
    )
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('visibility', text, (column) => column.notNull())
    .addColumn('documents', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('label_count_key', ['owner_id', 'key', 'kind', 'visibility'])
    .modifyEnd(keptWithKey)
    .execute();
  await sql`insert into label_count (owner_id, key, kind, visibility, documents)
    select owner_id, key, kind, visibility, count(*) from document_label
    where visibility is not null group by owner_id, key, kind, visibility`.execute(db);
}
