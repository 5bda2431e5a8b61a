import type { Means } from './means.ts';

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

/** Something that happened to a document. */
export interface NewEvent {
  id: string;
  documentId: string;
  ownerId: string;
  type: EventType;
  accountId: string;
  via: Means;
  /** The name of the token or application. */
  viaName: string | null;
  version: number | null;
  /** The first version of the sitting in the editor that `version` ends. */
  firstVersion: number | null;
  threadId: string | null;
  /** The account that it was done to, such as a requested reviewer. */
  targetId: string | null;
  /** The ids of the accounts that a comment mentions, separated by spaces. */
  mentions: string | null;
  at: string;
}

/** Tells whether an event may announce a text: they have the same author and time. */
export function isOfEvent(
  event: { accountId: string | null; at: string },
  written: { accountId: string | null; createdAt: string },
): boolean {
  return written.accountId === event.accountId && written.createdAt === event.at;
}
