import { bestEffortWrite } from '../../core/best-effort-write.ts';
import type { Call, Context } from '../../core/context.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { updateDocumentRead } from '../../core/event/feed-store.ts';
import { carryThreads } from '../../core/review/anchor-service.ts';
import { type CommentSetting, canReview } from '../../core/review/review-access.ts';
import { openingOf } from '../../core/review/review-setting-store.ts';
import { isTextInSight, type Opening, sightOf } from '../../core/review/sight.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import type { ThreadRow } from '../../core/review/thread-store.ts';
import { type CommentRow, listLatestComments } from '../comments/comment-store.ts';
import type { Thread } from '../comments/thread-service.ts';
import { findVisit, listDiscussion } from './discussion-store.ts';

/** The most closed threads in the reading view. */
const MAX_CLOSED_SHOWN = 100;

/** The most comments in the reading view, and the most text in them, in UTF-16 code units. */
const MAX_COMMENTS_SHOWN = 1_000;
const MAX_TEXT_SHOWN = 500_000;

/** The threads of a document, and what the actor can do with them. */
export interface Discussion {
  /**
   * In the order of their passages. Threads about the whole document come first, those whose
   * passage is gone come last.
   */
  open: Thread[];
  /** The latest {@link MAX_CLOSED_SHOWN}, newest first. */
  closed: Thread[];
  /** Whether older comments were left out because there are very many, or very long ones. */
  isCut: boolean;
  can: {
    comment: boolean;
    /** Whether the actor can resolve and reopen threads of others. */
    close: boolean;
    accept: boolean;
  };
}

/**
 * Loads the threads of a document when the actor opens it, and marks the actor's inbox entries
 * about it as read. Without threads and unread entries, this takes two queries.
 *
 * @param document as loaded for the actor
 * @returns `undefined` if the actor can't see comments
 */
export async function visitDiscussion(
  call: Call,
  document: DocumentRow,
): Promise<Discussion | undefined> {
  const { comments, opening } = await visitDocument(call, document);
  if (!canReview(document, comments, 'see')) return undefined;
  const { read } = call.sql;
  const limit = REVIEW_LIMITS.openThreads + MAX_CLOSED_SHOWN;
  const sight = sightOf(document, opening);
  const rows = await listDiscussion(read, document.id, sight, limit);
  const open = rows.filter(({ state }) => state === 'open');
  const closed = rows.filter(({ state }) => state !== 'open').slice(0, MAX_CLOSED_SHOWN);
  const carried = await carryThreads(call, document, [...open, ...closed]);
  const { comments: latest, isCut } = await latestComments(call, carried);
  const shown = latest.filter((comment) => isTextInSight(sight, comment));
  const byThread = Map.groupBy(shown, ({ threadId }) => threadId);
  const threads = carried.map((row) => ({ ...row, comments: byThread.get(row.id) ?? [] }));
  return {
    isCut,
    open: threads.slice(0, open.length).sort((one, other) => orderOf(one) - orderOf(other)),
    closed: threads.slice(open.length),
    can: {
      comment: canReview(document, comments, 'comment'),
      close: canReview(document, comments, 'close'),
      accept: canReview(document, comments, 'accept'),
    },
  };
}

/** Returns the latest comments that fit, oldest first. */
async function latestComments(
  { sql }: Context,
  threads: readonly ThreadRow[],
): Promise<{ comments: CommentRow[]; isCut: boolean }> {
  const ids = threads.map(({ id }) => id);
  const latest = await listLatestComments(sql.read, ids, MAX_COMMENTS_SHOWN + 1);
  let length = 0;
  const cut = latest.findIndex(({ body }, index) => {
    length += body.length;
    return length > MAX_TEXT_SHOWN || index === MAX_COMMENTS_SHOWN;
  });
  const shown = cut < 0 ? latest : latest.slice(0, cut);
  return { comments: shown.reverse(), isCut: cut >= 0 };
}

/**
 * Marks the inbox entries about a document as read, because the actor has opened it.
 *
 * @returns the setting for who can comment on the document, and since when readers see threads
 */
async function visitDocument(
  call: Call,
  document: DocumentRow,
): Promise<{ comments: CommentSetting; opening: Opening | null }> {
  const visitor = { documentId: document.id, accountId: call.actor.id };
  const { comments, unread, openedAt, openedVersion } = await findVisit(call.sql.read, visitor);
  if (unread !== null) {
    const at = call.now();
    await bestEffortWrite(call, () =>
      call.sql.transaction((tx) => updateDocumentRead(tx, { ...visitor, at })),
    );
  }
  return { comments: comments ?? 'insiders', opening: openingOf(openedAt, openedVersion) };
}

function orderOf({ quote, shownState, shownStart }: ThreadRow): number {
  if (quote === null) return -1;
  const isPlaced = shownState !== 'gone' && shownState !== 'pending';
  return !isPlaced ? Number.MAX_SAFE_INTEGER : (shownStart ?? 0);
}
