import type { EventType } from '../../base/schema/event.ts';
import { type Context, later } from '../../core/context.ts';
import { decide, isInsider, type Standing } from '../../core/document/access-rules.ts';
import { findDocumentById } from '../../core/document/document-store.ts';
import type { EventRow } from '../../core/event/event-store.ts';
import { type CommentSetting, canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import {
  isTextInSight,
  isThreadInSight,
  type Sight,
  sightOf,
  type ThreadOrigin,
} from '../../core/review/sight.ts';
import { findThreadOrigins } from '../../core/review/thread-store.ts';
import { firstWithNotes } from '../../core/revision/readable-text-service.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { findTrashed } from '../trash/trash-store.ts';

/**
 * Who can see an event: every reader of the document, insiders, or those who can see its threads.
 */
const AUDIENCE = {
  'revision.created': 'readers',
  'document.changed': 'readers',
  'document.deleted': 'insiders',
  'document.restored': 'insiders',
  'thread.opened': 'reviewers',
  'comment.added': 'reviewers',
  'thread.closed': 'reviewers',
  'thread.reopened': 'reviewers',
  'suggestion.accepted': 'reviewers',
  'suggestion.rejected': 'reviewers',
  'review.requested': 'reviewers',
  'review.given': 'reviewers',
} as const satisfies Record<EventType, 'readers' | 'insiders' | 'reviewers'>;

/** What decides which of a document's events someone can see. */
interface EventViewer {
  standing: Standing;
  comments: CommentSetting;
  sight: Sight;
  /** The first version whose write they see. */
  notesFrom: number;
}

/** An event, as far as it matters who can see it. */
type Seeable = Pick<EventRow, 'documentId' | 'type' | 'accountId' | 'threadId' | 'version' | 'at'>;

/**
 * Returns a function that tells whether someone can see one of some events, even if the document is
 * in the trash. Readers who aren't insiders see no write from before the document became public, and
 * no event of a thread that they don't see. The function caches what it looks up.
 */
export function createEventCheck(
  { now, trashMs }: Context,
  db: Reader,
  events: readonly Seeable[],
): (event: Seeable, accountId: string) => Promise<boolean> {
  const viewers = new Map<string, Promise<EventViewer | undefined>>();
  let origins: Promise<Map<string, ThreadOrigin>> | undefined;

  async function findViewer(id: string, actorId: string): Promise<EventViewer | undefined> {
    const standing =
      (await findDocumentById(db, id, actorId)) ??
      (await findTrashed(db, { id, actorId, after: later(now(), -trashMs) }));
    if (!standing) return undefined;
    const { comments, opening } = await findReviewSettings(db, id);
    const notesFrom = await firstWithNotes(db, standing);
    return { standing, comments, sight: sightOf(standing, opening), notesFrom };
  }

  function viewerOf(documentId: string, accountId: string): Promise<EventViewer | undefined> {
    const key = `${documentId} ${accountId}`;
    const viewer = viewers.get(key) ?? findViewer(documentId, accountId);
    viewers.set(key, viewer);
    return viewer;
  }

  async function isInSight(sight: Sight, event: Seeable): Promise<boolean> {
    if (sight.opening === null) return true;
    if (!isTextInSight(sight, { accountId: event.accountId, createdAt: event.at })) return false;
    const ids = new Set(events.flatMap(({ threadId }) => threadId ?? []));
    origins ??= findThreadOrigins(db, [...ids]);
    const thread = event.threadId === null ? undefined : (await origins).get(event.threadId);
    return thread === undefined || isThreadInSight(sight, thread);
  }

  return async (event, accountId) => {
    const viewer = await viewerOf(event.documentId, accountId);
    if (!viewer || decide(viewer.standing, 'read') !== 'allow') return false;
    switch (AUDIENCE[event.type]) {
      case 'readers':
        // An event is placed some time after its write, when the document may be public already.
        return event.accountId === accountId || (event.version ?? 0) >= viewer.notesFrom;
      case 'insiders':
        return isInsider(viewer.standing);
      case 'reviewers':
        if (!canReview(viewer.standing, viewer.comments, 'see')) return false;
        return isInSight(viewer.sight, event);
    }
  };
}

/** Leaves out the events that an account can't see. */
export async function selectVisible<Event extends Seeable>(
  context: Context,
  db: Reader,
  accountId: string,
  events: readonly Event[],
): Promise<Event[]> {
  const canSee = createEventCheck(context, db, events);
  const visible = await Promise.all(events.map((event) => canSee(event, accountId)));
  return events.filter((_, index) => visible[index]);
}
