import { FieldError } from '../../base/errors.ts';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import { readLabelLines } from '../../base/schema/label.ts';
import type { Call, Context } from '../../core/context.ts';
import { decide } from '../../core/document/access-rules.ts';
import { requireDocument, type Seen, see } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import type { LibraryRow } from '../../core/document/library-row-store.ts';
import { type OwnerRef, requireOwnerRole } from '../../core/owner/document-owner-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { countPinned, deletePin, findMarks, insertPin, listPinnedRows } from './pin-store.ts';

/** The most documents of an owner that can be pinned to the top. */
export const MAX_PINNED = 12;

/**
 * Pins a document to the top of its owner's lists. Pinning it again changes nothing.
 *
 * @throws NOT_FOUND, FORBIDDEN; UNPROCESSABLE if the owner has too many pinned documents
 */
export async function pinToTop(call: Call, ref: DocumentRef): Promise<void> {
  await changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, call.actor, ref, 'pinToTop');
    const { id: documentId, ownerId } = document;
    if ((await countPinned(tx, { ownerId, besides: documentId })) >= MAX_PINNED) {
      const problem = `${MAX_PINNED} documents are already pinned to the top. Unpin one first.`;
      throw new FieldError('UNPROCESSABLE', 'pin', problem);
    }
    await insertPin(tx, { documentId, ownerId, pinnedAt: call.now() });
  });
}

/**
 * Unpins a document from the top of its owner's lists, if it is pinned. @throws NOT_FOUND,
 * FORBIDDEN
 */
export async function unpinFromTop(call: Call, ref: DocumentRef): Promise<void> {
  await changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, call.actor, ref, 'pinToTop');
    await deletePin(tx, document.id);
  });
}

/** A document's labels and pin, as the app shows them. */
export interface Marks {
  labels: string[];
  /**
   * Whether it is pinned to the top of its owner's lists, and whether the reader can change that.
   */
  isPinned: boolean;
  canPin: boolean;
}

/** Returns the labels and the pin of a document that the actor can read. */
export async function getMarks({ sql }: Context, document: DocumentRow): Promise<Marks> {
  const found = await findMarks(sql.read, document.id);
  return {
    labels: readLabelLines(found?.labelLines ?? null),
    isPinned: typeof found?.pinnedAt === 'string',
    canPin: decide(document, 'pinToTop') === 'allow',
  };
}

/** Unpins a restored document if its owner already has the maximum of other pins. */
export async function unpinSurplus(
  tx: Writer,
  { id, ownerId }: { id: string; ownerId: string },
): Promise<void> {
  if ((await countPinned(tx, { ownerId, besides: id })) >= MAX_PINNED) await deletePin(tx, id);
}

/**
 * Lists an owner's pinned documents that its lists show to the actor, the last pinned first.
 *
 * @throws NOT_FOUND if there is no such owner
 */
export async function listPinned(
  call: Call,
  owner: OwnerRef,
  page: PageRequest,
): Promise<Page<Seen<LibraryRow>>> {
  const { read } = call.sql;
  const { ownerId, role } = await requireOwnerRole(read, call.actor, owner);
  const rows = (await listPinnedRows(read, { ownerId, actorId: call.actor.id }))
    .filter(({ visibility }) => role !== 'none' || visibility === 'public')
    .map((row) => see(row))
    .filter(({ level }) => level !== 'none');
  const offset = offsetOf(page);
  return { items: rows.slice(offset, offset + page.size), total: rows.length };
}
