import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../storage/sql/prepared.ts';
import type { Writer } from '../storage/sql/sql.ts';
import { VISIBILITIES, type Visibility } from './access.ts';
import { KINDS, type Kind } from './kind.ts';

// Documents are counted by blocks of their ids, so that a list can skip whole blocks instead of walking over
// documents (decision 008). Every write of documents counts them here, in its own transaction, which has the owner
// to itself (account/owner-service.ts).

/**
 * How many documents a block has when it is made of a larger one. A block is divided when it has
 * more than twice as many of one kind and visibility, so that in whatever order ids come, a block
 * takes many before it is divided.
 */
export const BLOCK_SIZE = 2048;

/** Greater than every id: those are hexadecimal digits and hyphens. */
export const AFTER_EVERY_ID = '~';

/** What decides where a document counts. */
export type CountedDocument = { id: string; ownerId: string; kind: Kind; visibility: Visibility };

/** The `first_id` of the block that an id of an owner's document falls into. */
export function blockOf(ownerId: RawBuilder<string>, id: RawBuilder<string>): RawBuilder<string> {
  return sql`coalesce((
    select max(block.first_id) from document_block as block
    where block.owner_id = ${ownerId} and block.first_id <= ${id}
  ), '')`;
}

/** One row of a block. */
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
 * Counts a document that has just been stored, or changed to this visibility.
 *
 * @param blockSize in place of {@link BLOCK_SIZE}
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

/** Counts a document no longer that has been removed, or had this visibility. */
export async function takeFromBlock(db: Writer, document: CountedDocument): Promise<void> {
  const [block] = await countDown(db, document);
  if (block?.documents !== 0) return;
  // A block without any row is none: its ids fall into the one before, which counts none of them.
  await db
    .deleteFrom('document_block')
    .where('owner_id', '=', document.ownerId)
    .where('first_id', '=', block.firstId)
    .where('documents', '=', 0)
    .execute();
}

/** Makes blocks of `blockSize` documents out of one, the oldest first. */
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
  // All kinds and visibilities are named, since the index has ranges of ids only below each.
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
          and kind in (${sql.join(Object.keys(KINDS))})
          and visibility in (${sql.join(VISIBILITIES)})
          and id >= ${firstId} and id < ${next?.firstId ?? AFTER_EVERY_ID}
      ) as numbered
    ) as divided
    group by first_id, kind, visibility
  `.execute(db);
}
