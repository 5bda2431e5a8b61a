import { labelLines } from '../../core/document/label-store.ts';
import { type LibraryRow, libraryRows } from '../../core/document/library-row-store.ts';
import { lookup, prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

const pinned = prepared<{ ownerId: string; actorId: string }, LibraryRow>((db, parameter) =>
  libraryRows(db, parameter('actorId'))
    .where('pinned_document.ownerId', '=', parameter('ownerId'))
    .orderBy('pinned_document.pinnedAt', 'desc')
    .orderBy('document.id', 'desc'),
);

/** Lists an owner's pinned documents, the last pinned first, with the actor's standing. */
export async function listPinnedRows(
  db: Reader,
  list: { ownerId: string; actorId: string },
): Promise<readonly LibraryRow[]> {
  return pinned(db, list);
}

const marks = lookup<{ id: string }, { labelLines: string | null; pinnedAt: string | null }>(
  (db, parameter) =>
    db
      .selectFrom('document')
      .leftJoin('pinned_document', 'pinned_document.documentId', 'document.id')
      .where('document.id', '=', parameter('id'))
      .select(['pinned_document.pinnedAt', labelLines(db).as('labelLines')]),
);

/** Finds a document's labels and when it was pinned to the top. */
export async function findMarks(
  db: Reader,
  id: string,
): Promise<{ labelLines: string | null; pinnedAt: string | null } | undefined> {
  const [row] = await marks(db, { id });
  return row;
}

/** Lists the ids of an owner's pinned documents. */
export async function listPinnedIds(db: Reader, ownerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('pinned_document')
    .where('ownerId', '=', ownerId)
    .select('documentId as id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Counts an owner's pinned documents except one. Ignores the trash. */
export async function countPinned(
  db: Reader,
  { ownerId, besides }: { ownerId: string; besides: string },
): Promise<number> {
  const { documents } = await db
    .selectFrom('pinned_document')
    .innerJoin('document', 'document.id', 'pinned_document.documentId')
    .where('pinned_document.ownerId', '=', ownerId)
    .where('document.id', '<>', besides)
    .select(({ fn }) => fn.countAll<number>().as('documents'))
    .executeTakeFirstOrThrow();
  return Number(documents);
}

/** Pins a document, unless it is pinned already. */
export async function insertPin(db: Writer, pin: Row<'pinned_document'>): Promise<void> {
  await db
    .insertInto('pinned_document')
    .values(pin)
    .onConflict((conflict) => conflict.column('documentId').doNothing())
    .execute();
}

export async function deletePin(db: Writer, documentId: string): Promise<void> {
  await db.deleteFrom('pinned_document').where('documentId', '=', documentId).execute();
}
