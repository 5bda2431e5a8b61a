import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Counts documents by blocks of 2,048 ids, so that lists are read at the same cost everywhere. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await db.schema
    .createTable('document_block')
    .addColumn('owner_id', text, (column) =>
      column.notNull().references('owner.id').onDelete('cascade'),
    )
    .addColumn('first_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('visibility', text, (column) => column.notNull())
    .addColumn('documents', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('document_block_key', ['owner_id', 'first_id', 'kind', 'visibility'])
    .addCheckConstraint('document_block_documents', sql`documents >= 0`)
    .execute();

  // Each owner's oldest block begins before every id.
  await sql`
    insert into document_block (owner_id, first_id, kind, visibility, documents)
    select owner_id, first_id, kind, visibility, count(*)
    from (
      select owner_id, kind, visibility,
        case when block = 0 then '' else min(id) over (partition by owner_id, block) end as first_id
      from (
        select owner_id, id, kind, visibility,
          (row_number() over (partition by owner_id order by id) - 1) / 2048 as block
        from document
      ) as numbered
    ) as bounded
    group by owner_id, first_id, kind, visibility
  `.execute(db);

  // Lists of all visibilities merge what the index below each of them has.
  await db.schema.dropIndex('document_by_owner_id_kind_id').ifExists().execute();
}
