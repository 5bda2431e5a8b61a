import { findAccountIds } from '../../account/account-store.ts';
import { changeOwned } from '../../account/owner-service.ts';
import type { Actor, Context } from '../../context.ts';
import { FieldError } from '../../errors.ts';
import type { Page, PageRequest } from '../../pagination/result-page.ts';
import { normaliseId } from '../../schema/id.ts';
import { parseTime } from '../../schema/time.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { DocumentRef } from '../document-ref.ts';
import { type DocumentRow, findDocumentById } from '../document-store.ts';
import { carryThreads } from './anchor-service.ts';
import { type CommentRow, insertComment, listComments } from './comment-store.ts';
import { findPlace, type Place, requireStillStored, requireWhole } from './quote-service.ts';
import { canSee, requireCloser, requireReview } from './review-authorize.ts';
import { findReviewSettings } from './review-setting-store.ts';
import { requireBody, requireSize } from './text-size.ts';
import { REVIEW_LIMITS, type ThreadState } from './thread.ts';
import { recordThreadEvent } from './thread-event-service.ts';
import { requireRoomForNew, requireRoomForOpen } from './thread-limit-service.ts';
import {
  findThread,
  insertThread,
  listBehind,
  listThreadRows,
  type NewThread,
  type ThreadFilter,
  type ThreadRow,
  updatePlace,
  updateThreadState,
} from './thread-store.ts';

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
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  filter: ThreadFilter,
  page: PageRequest,
): Promise<Page<Thread>> {
  const { read } = context.sql;
  const { document } = await requireReview(read, actor, ref, 'see');
  const since = filter.since === undefined ? undefined : requireTime(filter.since);
  // Carry all of them: filtering by the state of their positions, and later requests, need current
  // ones.
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

export async function requireThread(db: Reader, { id }: DocumentRow, threadId: string) {
  const thread = await findThread(db, id, normaliseId(threadId));
  if (!thread) throw new FieldError('NOT_FOUND', 'thread', 'there is no such thread.');
  return thread;
}

/** The content of a new thread. */
export interface ThreadInput {
  /** Markdown. Required unless there is a replacement. */
  body?: string | undefined;
  /** The place that it is about. Default: the whole document. */
  on?: Place | undefined;
  /** The suggested text for the passage. */
  replacement?: string | undefined;
  /** The username of the person who should deal with it. */
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
  if (on && place && replacement !== undefined) requireWhole(place, on);
  const threadId = context.newId();
  await changeOwned(context, ref.owner, async (tx) => {
    const { document } = await requireReview(tx, actor, ref, 'comment');
    if (place) await requireStillStored(tx, document.id, place.version);
    await addThread(context, tx, actor, document, {
      ...{ id: threadId, body },
      kind: replacement === undefined ? 'comment' : 'replacement',
      ...{ version: place?.version ?? document.version, place: place ?? null },
      replacement: replacement ?? null,
      assigneeId: assignee === undefined ? null : await requireAssignee(tx, document, assignee),
    });
  });
  context.wakeFeed();
  return loadThread(context, actor, document, threadId);
}

/**
 * Stores a new thread with its first comment and its event, in the caller's transaction.
 *
 * @throws UNPROCESSABLE if the document has too many threads
 */
export async function addThread(
  context: Context,
  tx: Writer,
  actor: Actor,
  document: DocumentRow,
  thread: Pick<NewThread, 'id' | 'kind' | 'version' | 'place' | 'replacement'> & {
    assigneeId?: string | null;
    body: string | undefined;
  },
): Promise<void> {
  const { body, assigneeId = null, ...rest } = thread;
  const field = rest.kind === 'proposal' ? 'edits' : 'body';
  await requireRoomForOpen(tx, document.id, rest.kind, field);
  await requireRoomForNew(tx, document.id, field);
  const at = context.now();
  const by = { accountId: actor.id, via: actor.via.means, viaName: actor.via.name };
  await insertThread(tx, { ...rest, ...by, documentId: document.id, assigneeId, at });
  const said = { threadId: thread.id, body, at };
  if (body !== undefined) {
    await insertComment(tx, { ...by, ...said, body, id: context.newId() });
  }
  await recordThreadEvent(context, tx, actor, document, 'thread.opened', said);
}

/**
 * Resolves or reopens a thread.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor opened it or can edit the document; UNPROCESSABLE
 *   for an accepted suggestion, and for resolving a rejected one
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
  await requireRoomForOpen(tx, document.id, thread.kind, 'state');
  if (thread.kind === 'proposal' && thread.added === null) {
    throw new FieldError(
      'UNPROCESSABLE',
      'state',
      'the text of this proposal is no longer stored.',
    );
  }
  const at = context.now();
  const to = { state: 'open', at, closedBy: null, closedVersion: null } as const;
  await updateThreadState(tx, thread.id, thread.state, to);
  await recordThreadEvent(context, tx, actor, document, 'thread.reopened', {
    threadId: thread.id,
    at,
  });
}

const CLOSED_EVENT = {
  resolved: 'thread.closed',
  accepted: 'suggestion.accepted',
  rejected: 'suggestion.rejected',
} as const;

/**
 * Closes a thread and records the event, in the caller's transaction. @returns `false` if its state
 * has changed
 */
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
  await recordThreadEvent(context, tx, actor, document, CLOSED_EVENT[state], closed);
  return true;
}

/**
 * Moves a thread to another place, for example because its passage is gone.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor opened it or can edit the document; errors of the
 *   quote as for a new thread
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
  const { version } = place;
  await changeOwned(context, ref.owner, async (tx) => {
    const { document, comments } = await requireReview(tx, actor, ref, 'see');
    const thread = await requireThread(tx, document, threadId);
    requireCloser(actor, document, comments, thread);
    if (thread.replacement !== null) requireWhole(place, on);
    await requireStillStored(tx, document.id, version);
    await updatePlace(tx, thread.id, { place, version, at: context.now() });
  });
  return loadThread(context, actor, document, threadId);
}

function requireTime(text: string): string {
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new FieldError('BAD_REQUEST', 'since', 'must be a time, such as 2026-01-31T12:00:00Z.');
}

function requireReplacement(replacement: string, on: Place | undefined): void {
  if (!on) throw new FieldError('BAD_REQUEST', 'on', 'is needed: say which passage to replace.');
  requireSize('replacement', replacement, REVIEW_LIMITS.replacementBytes);
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
