import { FieldError } from '../../base/errors.ts';
import { decide, isInsider } from '../../core/document/access-rules.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { countOpenProposals } from '../../core/review/proposal-store.ts';
import { REVIEW_LIMITS, SHARE_OF_ONE, type ThreadKind } from '../../core/review/thread.ts';
import { countThreads } from '../../core/review/thread-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { countComments } from './comment-store.ts';

/**
 * Requires room for one more open thread on a document.
 *
 * @param document as it was loaded for who opens the thread
 * @param field the request's field that opens the thread
 * @throws UNPROCESSABLE
 */
export async function requireRoomForOpen(
  db: Reader,
  document: DocumentRow,
  kind: ThreadKind,
  field: string,
): Promise<void> {
  const threads = async (by?: string) => (await countThreads(db, document.id, by)).open;
  await requireRoom(document, threads, REVIEW_LIMITS.openThreads, {
    field,
    full: (count) => `there are ${count} open threads. Resolve some first.`,
    what: 'open threads here',
  });
  if (kind !== 'proposal') return;
  const proposals = (by?: string) => countOpenProposals(db, document.id, by);
  await requireRoom(document, proposals, REVIEW_LIMITS.openProposals, {
    field,
    full: (count) => `there are ${count} open proposals. Accept or reject some first.`,
    what: 'open proposals here',
  });
}

/** Requires room for one more thread on a document, open or closed. @throws UNPROCESSABLE */
export async function requireRoomForNew(db: Reader, document: DocumentRow, field: string) {
  const threads = async (by?: string) => (await countThreads(db, document.id, by)).all;
  await requireRoom(document, threads, REVIEW_LIMITS.threads, {
    field,
    full: (count) => `this document has had ${count} threads, the most it can have.`,
    what: 'threads here, open or closed',
  });
}

/** Requires room for one more comment in a thread. @throws UNPROCESSABLE */
export async function requireRoomForComment(db: Reader, document: DocumentRow, threadId: string) {
  const comments = (by?: string) => countComments(db, threadId, by);
  await requireRoom(document, comments, REVIEW_LIMITS.commentsPerThread, {
    field: 'body',
    full: (count) => `this thread has ${count} comments.`,
    what: 'comments in this thread',
  });
}

/** @param count how many there are, of everybody or of one account */
async function requireRoom(
  document: DocumentRow,
  count: (accountId?: string) => Promise<number>,
  limit: number,
  { field, full, what }: { field: string; full: (count: number) => string; what: string },
): Promise<void> {
  const all = await count();
  const most = Math.floor(limit * SHARE_OF_ONE);
  const canEdit = decide(document, 'editContent') === 'allow';
  // However many they are, strangers leave room for insiders, and those for who can edit.
  const left = canEdit ? 0 : isInsider(document) ? most : 2 * most;
  if (all >= limit - left) {
    throw new FieldError('UNPROCESSABLE', field, full(all));
  }
  if (all < most || canEdit) return;
  if ((await count(document.actorId)) < most) return;
  throw new FieldError(
    'UNPROCESSABLE',
    field,
    `you have ${most} ${what}, the most for one person who can’t edit the document.`,
  );
}
