import { FieldError } from '../../base/errors.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { type DocumentRow, findDocumentById } from '../../core/document/document-store.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { afterMoving } from '../../core/review/review.ts';
import { type Reviewed, requireCloser, requireReview } from '../../core/review/review-authorize.ts';
import { hasItsText, type ThreadState } from '../../core/review/thread.ts';
import { updatePlace } from '../../core/review/thread-place-store.ts';
import { type ThreadRow, updateAuthor, updateThreadState } from '../../core/review/thread-store.ts';
import { mayReadText } from '../../core/revision/readable-text-service.ts';
import { findRevision } from '../../core/revision/revision-store.ts';
import { findText } from '../../core/revision/revision-text-store.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { findPlace, findReplaceable, type Place, requireStillStored } from './quote-service.ts';
import { recordThreadEvent } from './thread-event-service.ts';
import { requireRoomForOpen } from './thread-limit-service.ts';
import { loadThread, requireThread, type Thread } from './thread-service.ts';

/**
 * Resolves or reopens a thread.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor opened it or can edit the document; UNPROCESSABLE
 *   for an accepted suggestion, for resolving a rejected one, and for reopening a thread if too
 *   many are open or its proposed text is gone
 */
export async function setThreadState(
  call: Call,
  ref: DocumentRef,
  threadId: string,
  state: 'open' | 'resolved',
): Promise<Thread> {
  const seen = await changeOwned(call, ref.owner, (tx) =>
    changeState(call, tx, ref, threadId, state),
  );
  call.wakeFeed();
  return loadThread(call, seen, threadId);
}

/** Does the same as {@link setThreadState} inside a larger transaction. */
export async function changeState(
  call: Call,
  tx: Writer,
  ref: DocumentRef,
  threadId: string,
  state: 'open' | 'resolved',
): Promise<Reviewed> {
  const seen = await requireReview(tx, call.actor, ref, 'see');
  const { document, comments } = seen;
  const thread = await requireThread(tx, seen, threadId);
  if (thread.state === state) return seen;
  requireCloser(call.actor, document, comments, thread);
  if (thread.state === 'accepted' || (thread.state === 'rejected' && state === 'resolved')) {
    throw new FieldError('UNPROCESSABLE', 'state', `the suggestion has been ${thread.state}.`);
  }
  if (state === 'open') await reopen(call, tx, document, thread);
  else {
    const to = { state: 'resolved', closedVersion: document.version } as const;
    await closeThread(call, tx, document, thread, to);
  }
  return seen;
}

async function reopen(
  call: Call,
  tx: Writer,
  document: DocumentRow,
  thread: ThreadRow,
): Promise<void> {
  await requireRoomForOpen(tx, document, thread.kind, 'state');
  if (!hasItsText(thread)) {
    throw new FieldError(
      'UNPROCESSABLE',
      'state',
      `the text of this ${thread.kind === 'proposal' ? 'proposal' : 'suggestion'} is no longer stored.`,
    );
  }
  const at = call.now();
  const to = { state: 'open', at, closedBy: null, closedVersion: null } as const;
  await updateThreadState(tx, thread.id, thread.state, to);
  await recordThreadEvent(call, tx, document, 'thread.reopened', { threadId: thread.id, at });
}

const CLOSED_EVENT = {
  resolved: 'thread.closed',
  accepted: 'suggestion.accepted',
  rejected: 'suggestion.rejected',
} as const;

/** How a thread is closed. */
export interface Closing {
  state: Exclude<ThreadState, 'open'>;
  /** The revision at that time; `null` if accepting changed nothing. */
  closedVersion: number | null;
}

/**
 * Closes a thread and records the event, in the caller's transaction. @returns `false` if its state
 * has changed
 */
export async function closeThread(
  call: Call,
  tx: Writer,
  document: DocumentRow,
  thread: ThreadRow,
  { state, closedVersion }: Closing,
): Promise<boolean> {
  const at = call.now();
  const to = { state, at, closedBy: call.actor.id, closedVersion };
  if (!(await updateThreadState(tx, thread.id, thread.state, to))) return false;
  const closed = { threadId: thread.id, at, version: document.version };
  await recordThreadEvent(call, tx, document, CLOSED_EVENT[state], closed);
  return true;
}

/**
 * Moves a thread to another place, for example because its passage is gone. A suggestion that
 * someone else moves becomes theirs, because it is they who offer to change that passage; it still has
 * the words of its writer. It is shown as made by the mover's means, if that is a token or application.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor opened it or can edit the document; UNPROCESSABLE if
 *   its author can't read the text there; errors of {@link findPlace} and {@link findReplaceable}
 */
export async function placeThread(
  call: Call,
  ref: DocumentRef,
  threadId: string,
  on: Place,
): Promise<Thread> {
  const { actor } = call;
  const seen = await requireReview(call.sql.read, actor, ref, 'see');
  const { document } = seen;
  const { replacement } = await requireThread(call.sql.read, seen, threadId);
  const place =
    replacement === null
      ? { ...(await findPlace(call, document, on)), replacement }
      : await findReplaceable(call, document, { on, replacement, field: 'on.quote' });
  const { version } = place;
  await changeOwned(call, ref.owner, async (tx) => {
    const seen = await requireReview(tx, actor, ref, 'see');
    const { document, comments } = seen;
    const thread = await requireThread(tx, seen, threadId);
    requireCloser(actor, document, comments, thread);
    if (thread.kind === 'proposal') throw notPlaced('a proposal is about the whole text.');
    if (thread.kind === 'replacement' && thread.state !== 'open') {
      throw notPlaced(`the suggestion has been ${thread.state}.`);
    }
    if (thread.replacement !== replacement) throw notPlaced('the suggestion has just changed.');
    await requireReadableByAuthor(tx, document, thread, version);
    await requireStillStored(tx, document.id, version);
    await updatePlace(tx, thread.id, { place, version, at: call.now() });
    if (thread.kind === 'replacement') {
      const moved = afterMoving(thread, actor);
      // What an agent wrote or moved stays marked as an agent's.
      const keepsMeans = thread.accountId === moved.accountId && actor.via.means === 'web';
      const { via, viaName } = keepsMeans
        ? thread
        : { via: actor.via.means, viaName: actor.via.name };
      await updateAuthor(tx, thread, place.replacement, { ...moved, via, viaName });
    }
  });
  return loadThread(call, seen, threadId);
}

/**
 * Requires that a thread's author can read the text that it will quote, because authors always see
 * their threads.
 *
 * @throws UNPROCESSABLE
 */
async function requireReadableByAuthor(
  tx: Writer,
  { id, actorId }: DocumentRow,
  { accountId }: ThreadRow,
  version: number,
): Promise<void> {
  if (accountId === null || accountId === actorId || !(await findText(tx, id, version))) return;
  const author = await findDocumentById(tx, id, accountId);
  const isPinned = (await findRevision(tx, id, version))?.pinned === 1;
  if (author && mayReadText(author, version, isPinned)) return;
  throw new FieldError(
    'UNPROCESSABLE',
    'on.revision',
    `the author of this thread can’t read the text of revision ${version}. Quote the current text.`,
  );
}

function notPlaced(problem: string): FieldError {
  return new FieldError('UNPROCESSABLE', 'on', problem);
}
