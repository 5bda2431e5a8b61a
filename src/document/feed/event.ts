import type { Means } from '../../account/means.ts';
import type { Actor, Context } from '../../context.ts';

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
  /** The document's version that it is about. */
  version: number | null;
  threadId: string | null;
  /** The account that it was done to, such as a requested reviewer. */
  targetId: string | null;
  /** The ids of the accounts that a comment mentions, separated by spaces. */
  mentions: string | null;
  at: string;
}

type Details = Pick<NewEvent, 'documentId' | 'ownerId' | 'type'> &
  Partial<Pick<NewEvent, 'version' | 'threadId' | 'targetId' | 'at'>> & {
    /** The ids of the accounts that a comment mentions. */
    mentions?: readonly string[];
  };

/** Describes what an actor did, by default now. */
export function eventOf(context: Context, actor: Actor, details: Details): NewEvent {
  const { mentions = [], ...rest } = details;
  return {
    ...{ version: null, threadId: null, targetId: null, at: context.now() },
    ...rest,
    ...{ id: context.newId(), accountId: actor.id },
    ...{ via: actor.via.means, viaName: actor.via.name },
    mentions: mentions.length === 0 ? null : mentions.join(' '),
  };
}

/** The event of a write: a new text, or only another name or visibility. */
export function revisionEvent(
  context: Context,
  actor: Actor,
  write: {
    documentId: string;
    ownerId: string;
    version: number;
    changed: readonly string[];
    at: string;
  },
): NewEvent {
  const { changed, ...rest } = write;
  const type = changed.includes('content') ? 'revision.created' : 'document.changed';
  return eventOf(context, actor, { ...rest, type });
}
