import { FieldError, ServiceError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { aboutDocument, audit } from '../../core/audit/audit.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { requireVerifiedToComment } from '../../core/identity/sign-up-rules.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireFit } from '../../core/quota/quota-service.ts';
import { canReview } from '../../core/review/review-access.ts';
import { DENIED, type Reviewed, requireReview } from '../../core/review/review-authorize.ts';
import { isTextInSight } from '../../core/review/sight.ts';
import { requireBody } from '../../core/review/text-size.ts';
import type { ThreadState } from '../../core/review/thread.ts';
import { deleteThread, type ThreadRow, touchThread } from '../../core/review/thread-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import {
  type CommentRow,
  countComments,
  deleteComment,
  insertComment,
  listComments,
  updateComment,
} from './comment-store.ts';
import { mentionsIn, recordThreadEvent } from './thread-event-service.ts';
import { requireRoomForComment } from './thread-limit-service.ts';
import { requireThread } from './thread-service.ts';

/**
 * Adds a comment to a thread. A closed thread stays closed.
 *
 * @returns the comment, with the state of its thread
 * @throws NOT_FOUND; FORBIDDEN; BAD_REQUEST; UNPROCESSABLE if there are too many comments
 */
export async function addComment(
  call: Call,
  ref: DocumentRef,
  threadId: string,
  body: string,
): Promise<CommentRow & { state: ThreadState }> {
  requireBody(body);
  const names = await mentionsIn(call, body);
  const { thread, comment } = await changeOwned(call, ref.owner, (tx) =>
    commentIn(call, tx, ref, threadId, { body, names }),
  );
  call.wakeFeed();
  const { at, ...rest } = comment;
  return {
    ...rest,
    threadId: thread.id,
    state: thread.state,
    author: call.actor.username,
    createdAt: at,
    editedAt: null,
  };
}

/** Does the same as {@link addComment} inside a larger transaction, for a body that fits and its `mentionsIn`. */
export async function commentIn(
  call: Call,
  tx: Writer,
  ref: DocumentRef,
  threadId: string,
  { body, names }: { body: string; names: readonly string[] },
) {
  const { actor } = call;
  const comment = {
    id: call.newId(),
    body,
    at: call.now(),
    accountId: actor.id,
    via: actor.via.means,
    viaName: actor.via.name,
  };
  const seen = await requireReview(tx, actor, ref, 'comment');
  await requireVerifiedToComment(call, tx, actor, seen.document);
  const thread = await requireThread(tx, seen, threadId);
  await requireRoomForComment(tx, seen.document, thread.id);
  await insertComment(tx, { ...comment, threadId: thread.id });
  await requireFit(call, tx, actor.id);
  await touchThread(tx, thread.id, comment.at);
  const said = { threadId: thread.id, names, at: comment.at };
  await recordThreadEvent(call, tx, seen.document, 'comment.added', said);
  return { thread, comment };
}

/** Changes the actor's own comment. @throws NOT_FOUND, FORBIDDEN, BAD_REQUEST */
export async function editComment(
  call: Call,
  ref: DocumentRef,
  { threadId, commentId }: { threadId: string; commentId: string },
  body: string,
): Promise<CommentRow> {
  requireBody(body);
  const at = call.now();
  return changeOwned(call, ref.owner, async (tx) => {
    const seen = await requireReview(tx, call.actor, ref, 'comment');
    const thread = await requireThread(tx, seen, threadId);
    const comment = await requireComment(tx, seen, thread, commentId);
    if (comment.accountId !== call.actor.id) {
      throw new ServiceError('FORBIDDEN', 'You can only change your own comments.');
    }
    await updateComment(tx, comment, { body, at });
    if (body.length > comment.body.length) await requireFit(call, tx, call.actor.id);
    await touchThread(tx, thread.id, at);
    return { ...comment, body, editedAt: at };
  });
}

/**
 * Deletes a comment. Also deletes a thread that has no comments left, unless it suggests something.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the comment is the actor's own or the actor is an admin
 */
export async function removeComment(
  call: Call,
  ref: DocumentRef,
  { threadId, commentId }: { threadId: string; commentId: string },
): Promise<void> {
  const { actor } = call;
  const at = call.now();
  await changeOwned(call, ref.owner, async (tx) => {
    const seen = await requireReview(tx, actor, ref, 'see');
    const { document, comments } = seen;
    const thread = await requireThread(tx, seen, threadId);
    const comment = await requireComment(tx, seen, thread, commentId);
    if (comment.accountId !== actor.id && !canReview(document, comments, 'moderate')) {
      throw new ServiceError('FORBIDDEN', DENIED.moderate);
    }
    await deleteComment(tx, comment);
    if (comment.accountId !== actor.id) {
      const about = { ...aboutDocument(document), detail: { thread: thread.id } };
      await audit(call, tx, { action: 'document.comment_deleted', actor, ...about });
    }
    const isEmpty = (await countComments(tx, thread.id)) === 0;
    if (isEmpty && thread.kind === 'comment') await deleteThread(tx, thread);
    else await touchThread(tx, thread.id, at);
  });
}

/** @throws NOT_FOUND, also for a comment that the actor doesn't see */
async function requireComment(
  db: Reader,
  { sight }: Pick<Reviewed, 'sight'>,
  thread: ThreadRow,
  id: string,
): Promise<CommentRow> {
  const comments = await listComments(db, [thread.id]);
  const comment = comments.find(
    (each) => each.id === normaliseId(id) && isTextInSight(sight, each),
  );
  if (!comment) throw new FieldError('NOT_FOUND', 'comment', 'there is no such comment.');
  return comment;
}
