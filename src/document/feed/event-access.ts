import { type Context, later } from '../../context.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { decide, isInsider, type Standing } from '../access-rules.ts';
import { findDocumentById } from '../document-store.ts';
import { type CommentSetting, canReview } from '../review/review-access.ts';
import { findReviewSettings } from '../review/review-setting-store.ts';
import { findTrashed } from '../trash/trash-store.ts';
import type { EventType } from './event.ts';

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
export interface EventViewer {
  standing: Standing;
  comments: CommentSetting;
}

/** Tells whether someone can see an event of this type. */
export function canSeeEvent(viewer: EventViewer | undefined, type: EventType): boolean {
  if (!viewer || decide(viewer.standing, 'read') !== 'allow') return false;
  switch (AUDIENCE[type]) {
    case 'readers':
      return true;
    case 'insiders':
      return isInsider(viewer.standing);
    case 'reviewers':
      return canReview(viewer.standing, viewer.comments, 'see');
  }
}

/**
 * Returns a function that finds someone's {@link EventViewer} for a document, even for one in the
 * trash. The function caches its results.
 */
export function createViewerLookup({ now, trashMs }: Context, db: Reader) {
  const known = new Map<string, Promise<EventViewer | undefined>>();
  const find = async (id: string, actorId: string): Promise<EventViewer | undefined> => {
    const standing =
      (await findDocumentById(db, id, actorId)) ??
      (await findTrashed(db, { id, actorId, after: later(now(), -trashMs) }));
    return standing && { standing, comments: (await findReviewSettings(db, id)).comments };
  };
  return (documentId: string, accountId: string): Promise<EventViewer | undefined> => {
    const key = `${documentId} ${accountId}`;
    const viewer = known.get(key) ?? find(documentId, accountId);
    known.set(key, viewer);
    return viewer;
  };
}
