import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { requireTime } from '../../base/schema/time.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { carryThreads, placedIn } from '../../core/review/anchor-service.ts';
import { type Reviewed, requireReview } from '../../core/review/review-authorize.ts';
import { isTextInSight, type Sight } from '../../core/review/sight.ts';
import {
  findThread,
  listBehind,
  listThreadRows,
  type ThreadFilter,
  type ThreadRow,
} from '../../core/review/thread-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { type CommentRow, listComments } from './comment-store.ts';

/** A document, and which of its threads the reader sees. */
type Seen = Pick<Reviewed, 'document' | 'sight'>;

/** A thread with its comments, oldest first. */
export interface Thread extends ThreadRow {
  comments: CommentRow[];
}

/**
 * Lists a document's threads, newest first, with their positions in the current text.
 *
 * @throws NOT_FOUND; FORBIDDEN for readers who can't see comments; BAD_REQUEST if `since` is not a
 *   time
 */
export async function listThreads(
  call: Call,
  ref: DocumentRef,
  filter: ThreadFilter,
  page: PageRequest,
): Promise<Page<Thread>> {
  const { read } = call.sql;
  const { document, sight } = await requireReview(read, call.actor, ref, 'see');
  const since = filter.since === undefined ? undefined : requireTime('since', filter.since);
  // Carry all threads, not only this result page: the filter by state needs current positions.
  const behind = await listBehind(read, document.id, filter.states, document.version);
  await carryThreads(call, document, behind);
  const where = { ...filter, since };
  const { items, total } = await listThreadRows(read, document, sight, where, page);
  const placed = items.map((thread) => placedIn(document, thread));
  return { items: await withComments(read, placed, sight), total };
}

/** @throws NOT_FOUND, FORBIDDEN */
export async function getThread(call: Call, ref: DocumentRef, id: string): Promise<Thread> {
  const { read } = call.sql;
  return loadThread(call, await requireReview(read, call.actor, ref, 'see'), id);
}

/** Loads a thread with its position in the current text. @throws NOT_FOUND */
export async function loadThread(call: Call, seen: Seen, id: string): Promise<Thread> {
  const row = await requireThread(call.sql.read, seen, id);
  const [thread = row] = await carryThreads(call, seen.document, [row]);
  const [whole] = await withComments(call.sql.read, [thread], seen.sight);
  return whole as Thread;
}

/** Adds the comments that someone sees to threads. */
export async function withComments(
  db: Reader,
  rows: readonly ThreadRow[],
  sight: Sight,
): Promise<Thread[]> {
  const all = await listComments(
    db,
    rows.map(({ id }) => id),
  );
  const seen = all.filter((comment) => isTextInSight(sight, comment));
  const comments = Map.groupBy(seen, ({ threadId }) => threadId);
  return rows.map((row) => ({ ...row, comments: comments.get(row.id) ?? [] }));
}

/** @throws NOT_FOUND, also for a thread that the reader doesn't see */
export async function requireThread(db: Reader, { document, sight }: Seen, threadId: string) {
  const thread = await findThread(db, document.id, sight, normaliseId(threadId));
  if (!thread) throw new FieldError('NOT_FOUND', 'thread', 'there is no such thread.');
  return thread;
}
