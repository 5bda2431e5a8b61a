import { FieldError } from '../../base/errors.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { requireVerifiedToComment } from '../../core/identity/sign-up-rules.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireFit } from '../../core/quota/quota-service.ts';
import { seenByMaking } from '../../core/review/review.ts';
import { findCommentReader, requireReview } from '../../core/review/review-authorize.ts';
import { requireBody, requireSize } from '../../core/review/text-size.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { insertThread, type NewThread } from '../../core/review/thread-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { insertComment } from './comment-store.ts';
import { findPlace, findReplaceable, type Place, requireStillStored } from './quote-service.ts';
import { mentionsIn, recordThreadEvent } from './thread-event-service.ts';
import { requireRoomForNew, requireRoomForOpen } from './thread-limit-service.ts';
import { loadThread, type Thread } from './thread-service.ts';

/** The content of a new thread. */
export interface ThreadInput {
  /** Markdown. Required unless there is a replacement. */
  body?: string | undefined;
  /** The passage, section or element that the thread is about. Default: the whole document. */
  on?: Place | undefined;
  /** The suggested text for the passage. */
  replacement?: string | undefined;
  /** The username of the person who should deal with the thread. */
  assignee?: string | undefined;
}

/**
 * Opens a thread: a comment, or a suggestion to replace a passage.
 *
 * @throws NOT_FOUND; FORBIDDEN; BAD_REQUEST; errors of {@link findPlace} and {@link findReplaceable};
 *   UNPROCESSABLE if the assignee can't see the comments, or there are too many threads
 */
export async function openThread(
  call: Call,
  ref: DocumentRef,
  { body, on, replacement, assignee }: ThreadInput,
): Promise<Thread> {
  const seen = await requireReview(call.sql.read, call.actor, ref, 'comment');
  const { document } = seen;
  if (replacement === undefined || body !== undefined) requireBody(body);
  let place = null;
  let suggested = null;
  if (replacement !== undefined) {
    const passage = requireReplacement(replacement, on);
    place = await findReplaceable(call, document, {
      on: passage,
      replacement,
      field: 'replacement',
    });
    suggested = place.replacement;
  } else if (on) place = await findPlace(call, document, on);
  const threadId = call.newId();
  const names = await mentionsIn(call, body);
  await changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireReview(tx, call.actor, ref, 'comment');
    await requireVerifiedToComment(call, tx, call.actor, document);
    if (place) await requireStillStored(tx, document.id, place.version);
    await addThread(call, tx, document, {
      id: threadId,
      body,
      names,
      kind: replacement === undefined ? 'comment' : 'replacement',
      version: place?.version ?? document.version,
      place,
      replacement: suggested,
      assigneeId: assignee === undefined ? null : await requireAssignee(tx, document, assignee),
    });
  });
  call.wakeFeed();
  return loadThread(call, seen, threadId);
}

/**
 * Stores a new thread with its first comment and its event, in the caller's transaction.
 *
 * @throws UNPROCESSABLE if the document has too many threads, or too many of the actor; QuotaExceeded
 */
export async function addThread(
  call: Call,
  tx: Writer,
  document: DocumentRow,
  thread: Pick<NewThread, 'id' | 'kind' | 'version' | 'place' | 'replacement'> & {
    assigneeId?: string | null;
    body: string | undefined;
    /** Those of `mentionsIn`. */
    names: readonly string[];
    /** The first of the suggestions that are made together. Only that one is told to others. */
    setId?: string;
  },
): Promise<void> {
  const { actor } = call;
  const { body, names, assigneeId = null, setId = null, ...rest } = thread;
  const field = rest.kind === 'proposal' ? 'edits' : 'body';
  await requireRoomForOpen(tx, document, rest.kind, field);
  await requireRoomForNew(tx, document, field);
  const at = call.now();
  const by = { accountId: actor.id, via: actor.via.means, viaName: actor.via.name };
  const seenBy = seenByMaking(actor);
  await insertThread(tx, {
    ...rest,
    ...by,
    seenBy,
    documentId: document.id,
    assigneeId,
    setId,
    at,
  });
  const said = { threadId: thread.id, at };
  if (body !== undefined) await insertComment(tx, { ...by, ...said, body, id: call.newId() });
  await requireFit(call, tx, actor.id);
  if (setId !== null && setId !== thread.id) return;
  await recordThreadEvent(call, tx, document, 'thread.opened', { ...said, names });
}

function requireReplacement(replacement: string, on: Place | undefined): Place {
  if (!on) throw new FieldError('BAD_REQUEST', 'on', 'is required: choose the passage to replace.');
  requireSize('replacement', replacement, REVIEW_LIMITS.replacementBytes);
  return on;
}

async function requireAssignee(
  db: Reader,
  document: DocumentRow,
  username: string,
): Promise<string> {
  const id = await findCommentReader(db, document, username);
  if (id !== undefined) return id;
  throw new FieldError('UNPROCESSABLE', 'assignee', `no user “${username}” can see the comments.`);
}
