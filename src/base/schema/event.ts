/** What can happen to a document. */
export const EVENT_TYPES = [
  'revision.created',
  'document.changed',
  'document.deleted',
  'document.restored',
  'thread.opened',
  'comment.added',
  'thread.closed',
  'thread.reopened',
  'suggestion.accepted',
  'suggestion.rejected',
  'review.requested',
  'review.given',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Tells whether an event may announce a text: they have the same author and time. */
export function isOfEvent(
  event: { accountId: string | null; at: string },
  written: { accountId: string | null; createdAt: string },
): boolean {
  return written.accountId === event.accountId && written.createdAt === event.at;
}
