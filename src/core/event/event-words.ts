import type { EventType } from '../../base/schema/event.ts';

const DEEDS = {
  'revision.created': 'changed',
  'document.changed': 'changed the name, owner or visibility of',
  'document.deleted': 'deleted',
  'document.restored': 'restored',
  'thread.opened': 'commented on',
  'comment.added': 'replied to a comment on',
  'thread.closed': 'resolved a comment on',
  'thread.reopened': 'reopened a comment on',
  'suggestion.accepted': 'accepted a suggestion for',
  'suggestion.rejected': 'rejected a suggestion for',
  'review.requested': 'asked for a review of',
  'review.given': 'reviewed',
} as const satisfies Record<EventType, string>;

/** Phrases for what was done to the reader. The document's title follows them. */
export const DEEDS_TO_YOU = {
  mention: 'mentioned you in a comment on',
  review: 'asked you to review',
} as const;

/** Returns a phrase for what the author did. The document's title, or “it”, follows the phrase. */
export function deedOf({ type, version }: { type: EventType; version: number | null }): string {
  return type === 'revision.created' && version === 1 ? 'created' : DEEDS[type];
}
