import { findAccountIds } from '../../account/account-store.ts';
import { changeOwned } from '../../account/owner-service.ts';
import type { Actor, Context } from '../../context.ts';
import { FieldError, ServiceError } from '../../errors.ts';
import type { Page, PageRequest } from '../../pagination/result-page.ts';
import { normaliseId } from '../../schema/id.ts';
import { parseTime } from '../../schema/time.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { decide } from '../access.ts';
import { requireDocument } from '../authorize.ts';
import type { DocumentRef } from '../document-ref.ts';
import { type DocumentRow, findDocumentById } from '../document-store.ts';
import { insertEvent } from '../feed/event-store.ts';
import { eventOf } from '../feed/new-event.ts';
import { mentionsIn } from './mentions.ts';
import { carryThreads } from './place-service.ts';
import { findPlace, type Place, requireStillStored, requireWhole } from './quote-service.ts';
import { type CommentSetting, canReview, type ReviewAction } from './review-access.ts';
import { findReviewSettings } from './review-setting-store.ts';
import { REVIEW_LIMITS, type ThreadState } from './thread.ts';
import {
  type CommentRow,
  countComments,
  countThreads,
  deleteComment,
  deleteThread,
  findThread,
  insertComment,
  insertThread,
  listBehind,
  listComments,
  listThreadRows,
  type ThreadFilter,
  type ThreadRow,
  touchThread,
  updateAnchor,
  updateComment,
  updateThreadState,
} from './thread-store.ts';

/** A thread with its comments, oldest first. */
export interface Thread extends ThreadRow {
  comments: CommentRow[];
}

/** A document with the actor's standing, and who may comment on it. */
export interface Reviewed {
  document: DocumentRow;
  comments: CommentSetting;
}

const DENIED: Record<ReviewAction, string> = {
  see: 'Only the owner, collaborators and members see the comments on this document.',
  comment: 'You can’t comment on this document.',
  close: 'Only the author of a thread, and who can edit the document, can do this.',
  moderate: 'Only the author, and admins of the document, can do this.',
  accept: 'Only who can edit the document can accept a suggestion.',
  configure: 'Only admins of the document can change this.',
};

/**
 * Returns the document if the actor can do `action`.
 *
 * @throws NOT_FOUND if it is missing or the actor can't read it; FORBIDDEN
 */
export async function requireReview(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
  action: ReviewAction,
): Promise<Reviewed> {
  const { document } = await requireDocument(db, actor, ref, 'read');
  const { comments } = await findReviewSettings(db, document.id);
  if (!canReview(document, comments, action)) throw new ServiceError('FORBIDDEN', denied(action));
  return { document, comments };
}

function denied(action: ReviewAction): string {
  return DENIED[action];
}

/**
 * Lists a document's threads, newest first, at their places in the current text.
 *
 * @throws NOT_FOUND; FORBIDDEN for readers who may not see comments; BAD_REQUEST if `since` is no time
 */
export async function listThreads(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  filter: ThreadFilter,
  page: PageRequest,
): Promise<Page<Thread>> {
  const { read } = context.sql;
  const { document } = await requireReview(read, actor, ref, 'see');
  const since = filter.since === undefined ? undefined : requireTime(filter.since);
  // All of them: a filter by the state of their places, and later calls, need them up to date.
  const behind = await listBehind(read, document.id, filter.states, document.version);
  await carryThreads(context, actor, document, behind);
  const { items, total } = await listThreadRows(read, document.id, { ...filter, since }, page);
  return { items: await withComments(read, items), total };
}

/** @throws NOT_FOUND, FORBIDDEN */
export async function getThread(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  id: string,
): Promise<Thread> {
  const { read } = context.sql;
  const { document } = await requireReview(read, actor, ref, 'see');
  return loadThread(context, actor, document, id);
}

async function loadThread(
  context: Context,
  actor: Actor,
  document: DocumentRow,
  id: string,
): Promise<Thread> {
  const row = await requireThread(context.sql.read, document, id);
  const [thread = row] = await carryThreads(context, actor, document, [row]);
  const [whole] = await withComments(context.sql.read, [thread]);
  return whole as Thread;
}

export async function withComments(db: Reader, rows: readonly ThreadRow[]): Promise<Thread[]> {
  const comments = Map.groupBy(
    await listComments(
      db,
      rows.map(({ id }) => id),
    ),
    ({ threadId }) => threadId,
  );
  return rows.map((row) => ({ ...row, comments: comments.get(row.id) ?? [] }));
}

async function requireThread(db: Reader, { id }: DocumentRow, threadId: string) {
  const thread = await findThread(db, id, normaliseId(threadId));
  if (!thread) throw new FieldError('NOT_FOUND', 'thread', 'there is no such thread.');
  return thread;
}

/** What a new thread says. */
export interface ThreadInput {
  /** Markdown. Needed unless there is a replacement. */
  body?: string | undefined;
  /** What it is about; by default the whole document. */
  on?: Place | undefined;
  /** A text to replace the passage with. */
  replacement?: string | undefined;
  /** The username of who is asked to deal with it. */
  assignee?: string | undefined;
}

/**
 * Opens a thread: a comment, or a suggestion to replace a passage.
 *
 * @throws NOT_FOUND, FORBIDDEN; BAD_REQUEST; UNPROCESSABLE if the quote isn't found once, the
 *   assignee can't see the document, or there are too many threads
 */
export async function openThread(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  { body, on, replacement, assignee }: ThreadInput,
): Promise<Thread> {
  const { document } = await requireReview(context.sql.read, actor, ref, 'comment');
  if (replacement === undefined || body !== undefined) requireBody(body);
  if (replacement !== undefined) requireReplacement(replacement, on);
  const place = on && (await findPlace(context, actor, document, on));
  if (place && replacement !== undefined) requireWhole(place);
  const threadId = context.newId();
  const at = context.now();
  await changeOwned(context, ref.owner, async (tx) => {
    const { document } = await requireReview(tx, actor, ref, 'comment');
    const { all, open } = await countThreads(tx, document.id);
    if (open >= REVIEW_LIMITS.openThreads) {
      throw tooMany('body', `there are ${open} open threads. Resolve some first.`);
    }
    if (all >= REVIEW_LIMITS.threads) throw tooMany('body', `there have been ${all} threads.`);
    if (place) await requireStillStored(tx, document.id, place.version);
    const by = { accountId: actor.id, via: actor.via.means, viaName: actor.via.name };
    await insertThread(tx, {
      ...{ id: threadId, documentId: document.id, ...by, at },
      kind: replacement === undefined ? 'comment' : 'replacement',
      ...{ version: place?.version ?? document.version, anchor: place?.anchor ?? null },
      replacement: replacement ?? null,
      assigneeId: assignee === undefined ? null : await requireAssignee(tx, document, assignee),
    });
    if (body !== undefined) {
      await insertComment(tx, { id: context.newId(), threadId, ...by, body, at });
    }
    await recordEvent(context, tx, actor, document, 'thread.opened', { threadId, body, at });
  });
  context.wakeFeed();
  return loadThread(context, actor, document, threadId);
}

/**
 * Adds a comment to a thread. A closed thread stays closed.
 *
 * @returns the comment, with the state of its thread
 * @throws NOT_FOUND, FORBIDDEN, BAD_REQUEST, UNPROCESSABLE if there are too many comments
 */
export async function addComment(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  threadId: string,
  body: string,
): Promise<CommentRow & { state: ThreadState }> {
  requireBody(body);
  const comment = {
    ...{ id: context.newId(), body, at: context.now() },
    ...{ accountId: actor.id, via: actor.via.means, viaName: actor.via.name },
  };
  const thread = await changeOwned(context, ref.owner, async (tx) => {
    const { document } = await requireReview(tx, actor, ref, 'comment');
    const thread = await requireThread(tx, document, threadId);
    if ((await countComments(tx, thread.id)) >= REVIEW_LIMITS.commentsPerThread) {
      throw tooMany('body', `this thread has ${REVIEW_LIMITS.commentsPerThread} comments.`);
    }
    await insertComment(tx, { ...comment, threadId: thread.id });
    await touchThread(tx, thread.id, comment.at);
    const said = { threadId: thread.id, body, at: comment.at };
    await recordEvent(context, tx, actor, document, 'comment.added', said);
    return thread;
  });
  context.wakeFeed();
  const { at, ...rest } = comment;
  return {
    ...{ ...rest, threadId: thread.id, state: thread.state, author: actor.username },
    ...{ createdAt: at, editedAt: null },
  };
}

/** Changes the actor's own comment. @throws NOT_FOUND, FORBIDDEN, BAD_REQUEST */
export async function editComment(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  { threadId, commentId }: { threadId: string; commentId: string },
  body: string,
): Promise<CommentRow> {
  requireBody(body);
  const at = context.now();
  return changeOwned(context, ref.owner, async (tx) => {
    const { document } = await requireReview(tx, actor, ref, 'comment');
    const thread = await requireThread(tx, document, threadId);
    const comment = await requireComment(tx, thread, commentId);
    if (comment.accountId !== actor.id) {
      throw new ServiceError('FORBIDDEN', 'You can only change your own comments.');
    }
    await updateComment(tx, comment.id, { body, at });
    await touchThread(tx, thread.id, at);
    return { ...comment, body, editedAt: at };
  });
}

/**
 * Deletes a comment. A thread without comments goes too, unless it suggests a replacement.
 *
 * @throws NOT_FOUND; FORBIDDEN unless it is the actor's own or the actor is an admin
 */
export async function removeComment(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  { threadId, commentId }: { threadId: string; commentId: string },
): Promise<void> {
  const at = context.now();
  await changeOwned(context, ref.owner, async (tx) => {
    const { document, comments } = await requireReview(tx, actor, ref, 'see');
    const thread = await requireThread(tx, document, threadId);
    const comment = await requireComment(tx, thread, commentId);
    if (comment.accountId !== actor.id && !canReview(document, comments, 'moderate')) {
      throw new ServiceError('FORBIDDEN', denied('moderate'));
    }
    await deleteComment(tx, comment.id);
    const isEmpty = (await countComments(tx, thread.id)) === 0;
    if (isEmpty && thread.kind === 'comment') await deleteThread(tx, thread.id);
    else await touchThread(tx, thread.id, at);
  });
}

async function requireComment(db: Reader, thread: ThreadRow, id: string): Promise<CommentRow> {
  const comments = await listComments(db, [thread.id]);
  const comment = comments.find((each) => each.id === normaliseId(id));
  if (!comment) throw new FieldError('NOT_FOUND', 'comment', 'there is no such comment.');
  return comment;
}

/**
 * Resolves a thread or opens it again.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor opened it or can edit the document; UNPROCESSABLE for a
 *   suggestion that was accepted, and to resolve one that was rejected
 */
export async function setThreadState(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  threadId: string,
  state: 'open' | 'resolved',
): Promise<Thread> {
  const document = await changeOwned(context, ref.owner, async (tx) => {
    const { document, comments } = await requireReview(tx, actor, ref, 'see');
    const thread = await requireThread(tx, document, threadId);
    if (thread.state === state) return document;
    requireCloser(actor, document, comments, thread);
    if (thread.state === 'accepted' || (thread.state === 'rejected' && state === 'resolved')) {
      throw new FieldError('UNPROCESSABLE', 'state', `the suggestion has been ${thread.state}.`);
    }
    if (state === 'open') await reopen(context, tx, actor, document, thread);
    else await closeThread(context, tx, actor, document, thread, 'resolved');
    return document;
  });
  context.wakeFeed();
  return loadThread(context, actor, document, threadId);
}

async function reopen(
  context: Context,
  tx: Writer,
  actor: Actor,
  document: DocumentRow,
  thread: ThreadRow,
): Promise<void> {
  const { open } = await countThreads(tx, document.id);
  if (open >= REVIEW_LIMITS.openThreads) {
    throw tooMany('state', `there are ${open} open threads. Resolve some first.`);
  }
  const at = context.now();
  const to = { state: 'open', at, closedBy: null, closedVersion: null } as const;
  await updateThreadState(tx, thread.id, thread.state, to);
  await recordEvent(context, tx, actor, document, 'thread.reopened', { threadId: thread.id, at });
}

const CLOSED_EVENT = {
  resolved: 'thread.closed',
  accepted: 'suggestion.accepted',
  rejected: 'suggestion.rejected',
} as const;

/** Closes a thread and records that, in the transaction of the caller. @returns `false` if it is no longer as it was */
export async function closeThread(
  context: Context,
  tx: Writer,
  actor: Actor,
  document: DocumentRow,
  thread: ThreadRow,
  state: Exclude<ThreadState, 'open'>,
): Promise<boolean> {
  const at = context.now();
  const { version } = document;
  const to = { state, at, closedBy: actor.id, closedVersion: version };
  if (!(await updateThreadState(tx, thread.id, thread.state, to))) return false;
  const closed = { threadId: thread.id, at, version };
  await recordEvent(context, tx, actor, document, CLOSED_EVENT[state], closed);
  return true;
}

/** @throws FORBIDDEN unless the actor opened the thread or can edit the document */
export function requireCloser(
  actor: Actor,
  document: DocumentRow,
  comments: CommentSetting,
  thread: ThreadRow,
): void {
  if (thread.accountId === actor.id || canReview(document, comments, 'close')) return;
  throw new ServiceError('FORBIDDEN', denied('close'));
}

/**
 * Places a thread anew, such as one whose passage is gone.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor opened it or can edit the document; errors of the quote as
 *   for a new thread
 */
export async function placeThread(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  threadId: string,
  on: Place,
): Promise<Thread> {
  const { document } = await requireReview(context.sql.read, actor, ref, 'see');
  const place = await findPlace(context, actor, document, on);
  const { version, anchor } = place;
  await changeOwned(context, ref.owner, async (tx) => {
    const { document, comments } = await requireReview(tx, actor, ref, 'see');
    const thread = await requireThread(tx, document, threadId);
    requireCloser(actor, document, comments, thread);
    if (thread.replacement !== null) requireWhole(place);
    await requireStillStored(tx, document.id, version);
    await updateAnchor(tx, thread.id, { anchor, version, at: context.now() });
  });
  return loadThread(context, actor, document, threadId);
}

/** Records what happened to a thread, and whom it mentions. */
async function recordEvent(
  context: Context,
  tx: Writer,
  actor: Actor,
  document: DocumentRow,
  type: Parameters<typeof eventOf>[2]['type'],
  said: { threadId: string; body?: string | undefined; at: string; version?: number },
): Promise<void> {
  const mentions = await mentionedInsiders(tx, actor, document, said.body ?? '');
  const { threadId, at, version = document.version } = said;
  const about = { documentId: document.id, ownerId: document.ownerId, threadId, version };
  await insertEvent(tx, eventOf(context, actor, { ...about, type, at, mentions }));
}

/** Returns the ids of the people whom a comment mentions and who can see it. */
async function mentionedInsiders(
  db: Reader,
  actor: Actor,
  document: DocumentRow,
  body: string,
): Promise<string[]> {
  const names = mentionsIn(body);
  if (names.length === 0) return [];
  const { comments } = await findReviewSettings(db, document.id);
  const ids: string[] = [];
  for (const id of await findAccountIds(db, names)) {
    const standing = id === actor.id ? undefined : await findDocumentById(db, document.id, id);
    if (standing && canSee(standing, comments)) ids.push(id);
  }
  return ids;
}

export function canSee(standing: DocumentRow, comments: CommentSetting): boolean {
  return decide(standing, 'read') === 'allow' && canReview(standing, comments, 'see');
}

function requireTime(text: string): string {
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new FieldError('BAD_REQUEST', 'since', 'must be a time, such as 2026-01-31T12:00:00Z.');
}

function requireBody(body: string | undefined): asserts body is string {
  if (body === undefined || body.trim() === '') {
    throw new FieldError('BAD_REQUEST', 'body', 'must not be empty.');
  }
  const bytes = Buffer.byteLength(body);
  if (bytes > REVIEW_LIMITS.bodyBytes) {
    throw new FieldError(
      'BAD_REQUEST',
      'body',
      `is ${bytes} bytes. The limit is ${REVIEW_LIMITS.bodyBytes} bytes.`,
    );
  }
}

function requireReplacement(replacement: string, on: Place | undefined): void {
  if (!on) throw new FieldError('BAD_REQUEST', 'on', 'is needed: say which passage to replace.');
  const bytes = Buffer.byteLength(replacement);
  if (bytes > REVIEW_LIMITS.replacementBytes) {
    throw new FieldError(
      'BAD_REQUEST',
      'replacement',
      `is ${bytes} bytes. The limit is ${REVIEW_LIMITS.replacementBytes} bytes.`,
    );
  }
}

async function requireAssignee(
  db: Reader,
  document: DocumentRow,
  username: string,
): Promise<string> {
  const { comments } = await findReviewSettings(db, document.id);
  const [id] = await findAccountIds(db, [username]);
  const standing = id === undefined ? undefined : await findDocumentById(db, document.id, id);
  if (id !== undefined && standing && canSee(standing, comments)) return id;
  throw new FieldError('UNPROCESSABLE', 'assignee', 'nobody with this name can see the comments.');
}

function tooMany(field: string, problem: string): FieldError {
  return new FieldError('UNPROCESSABLE', field, problem);
}
