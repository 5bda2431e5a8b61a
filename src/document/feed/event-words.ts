import type { EventType, NewEvent } from './event.ts';

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

/** What was done to the reader, before the document's title. */
export const DEEDS_TO_YOU = {
  mention: 'mentioned you in a comment on',
  review: 'asked you to review',
} as const;

/** Tells what the author of an event did. It stands before the document's title, or “it”. */
export function deedOf({ type, version }: Pick<NewEvent, 'type' | 'version'>): string {
  return type === 'revision.created' && version === 1 ? 'created' : DEEDS[type];
}
