import type { Call } from '../context.ts';
import type { NewEvent } from './event-store.ts';

type Details = Pick<NewEvent, 'documentId' | 'ownerId' | 'type'> &
  Partial<Pick<NewEvent, 'version' | 'firstVersion' | 'threadId' | 'targetId' | 'at'>> & {
    /** The ids of the accounts that a comment mentions. */
    mentions?: readonly string[];
  };

/** Returns the event for something that an actor did. Default time: now. */
export function eventOf(call: Call, details: Details): NewEvent {
  const { mentions = [], ...rest } = details;
  return {
    version: null,
    firstVersion: null,
    threadId: null,
    targetId: null,
    at: call.now(),
    ...rest,
    id: call.newId(),
    accountId: call.actor.id,
    via: call.actor.via.means,
    viaName: call.actor.via.name,
    mentions: mentions.length === 0 ? null : mentions.join(' '),
  };
}

/** Returns the event of a write: a new text, or only a new name, visibility or owner. */
export function revisionEvent(
  call: Call,
  write: {
    documentId: string;
    ownerId: string;
    version: number;
    firstVersion?: number;
    changed: readonly string[];
    at: string;
  },
): NewEvent {
  const { changed, ...rest } = write;
  const type = changed.includes('content') ? 'revision.created' : 'document.changed';
  return eventOf(call, { ...rest, type });
}
