import { type RawBuilder, sql } from 'kysely';
import { ALL_KINDS, type Kind } from '../../base/schema/kind.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { VISIBILITIES, type Visibility } from './access-rules.ts';

// Counts documents in blocks of ids, so that a list can skip whole blocks instead of single
// documents (decision 008). Every write counts its documents here, in its own transaction, which
// has locked the owner (account/owner-service.ts).

/**
 * The number of documents in a block that was split off a larger one. A block is split when it has
 * more than twice as many of one kind and visibility, so splits are rare whatever the order of ids.
 */
export const BLOCK_SIZE = 2048;

/** Sorts after every id, because ids contain only hexadecimal digits and hyphens. */
export const AFTER_EVERY_ID = '~';

/** The fields of a document that decide which count it belongs to. */
export type CountedDocument = { id: string; ownerId: string; kind: Kind; visibility: Visibility };

/** Returns the `first_id` of the block that contains an id of an owner's document. */
export function blockOf(ownerId: RawBuilder<string>, id: RawBuilder<string>): RawBuilder<string> {
  return sql`coalesce((
    select max(block.first_id) from document_block as block
    where block.owner_id = ${ownerId} and block.first_id <= ${id}
  ), '')`;
}

interface Block {
  firstId: string;
  documents: number;
}

const countUp = prepared<CountedDocument, Block>((db, parameter) =>
  db
    .insertInto('document_block')
    .values({
      owner_id: parameter('ownerId'),
      first_id: blockOf(parameter('ownerId'), parameter('id')),
      kind: parameter('kind'),
      visibility: parameter('visibility'),
      documents: 1,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'first_id', 'kind', 'visibility'])
        .doUpdateSet((counted) => ({ documents: counted('document_block.documents', '+', 1) })),
    )
    .returning(['first_id as firstId', 'documents']),
);

const countDown = prepared<CountedDocument, Block>((db, parameter) =>
  db
    .updateTable('document_block')
    .set((counted) => ({ documents: counted('documents', '-', 1) }))
    .where('owner_id', '=', parameter('ownerId'))
    .where('first_id', '=', blockOf(parameter('ownerId'), parameter('id')))
    .where('kind', '=', parameter('kind'))
    .where('visibility', '=', parameter('visibility'))
    .returning(['first_id as firstId', 'documents']),
);

/**
 * Counts a document that was just stored, or changed to this visibility.
 *
 * @param blockSize replaces {@link BLOCK_SIZE}
 */
export async function addToBlock(
  db: Writer,
  document: CountedDocument,
  blockSize = BLOCK_SIZE,
): Promise<void> {
  const [block] = await countUp(db, document);
  if (block && block.documents > 2 * blockSize) {
    await divideBlock(db, document.ownerId, block.firstId, blockSize);
  }
}

/** Subtracts a document that was deleted, or whose visibility was this one before a change. */
export async function takeFromBlock(db: Writer, document: CountedDocument): Promise<void> {
  const [block] = await countDown(db, document);
  if (block?.documents !== 0) return;
  // Deletes the empty row. Once a block has no rows, the block before it covers its ids, which no
  // documents have.
  await db
    .deleteFrom('document_block')
    .where('owner_id', '=', document.ownerId)
    .where('first_id', '=', block.firstId)
    .where('documents', '=', 0)
    .execute();
}

/** Splits a block into blocks of `blockSize` documents, the oldest first. */
async function divideBlock(
  db: Writer,
  ownerId: string,
  firstId: string,
  blockSize: number,
): Promise<void> {
  const next = await db
    .selectFrom('document_block')
    .select((block) => block.fn.min('first_id').as('firstId'))
    .where('owner_id', '=', ownerId)
    .where('first_id', '>', firstId)
    .executeTakeFirst();
  await db
    .deleteFrom('document_block')
    .where('owner_id', '=', ownerId)
    .where('first_id', '=', firstId)
    .execute();
  // Names every kind and visibility, because in the index they precede the id.
  await sql`
    insert into document_block (owner_id, first_id, kind, visibility, documents)
    select ${ownerId}, first_id, kind, visibility, count(*)
    from (
      select kind, visibility,
        case when block = 0 then ${firstId} else min(id) over (partition by block) end as first_id
      from (
        select id, kind, visibility,
          (row_number() over (order by id) - 1) / ${sql.lit(blockSize)} as block
        from document
        where owner_id = ${ownerId}
          and kind in (${sql.join(ALL_KINDS)})
          and visibility in (${sql.join(VISIBILITIES)})
          and id >= ${firstId} and id < ${next?.firstId ?? AFTER_EVERY_ID}
      ) as numbered
    ) as divided
    group by first_id, kind, visibility
  `.execute(db);
}
