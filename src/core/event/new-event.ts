import type { NewEvent } from '../../base/schema/event.ts';
import type { Actor, Context } from '../context.ts';

type Details = Pick<NewEvent, 'documentId' | 'ownerId' | 'type'> &
  Partial<Pick<NewEvent, 'version' | 'firstVersion' | 'threadId' | 'targetId' | 'at'>> & {
    /** The ids of the accounts that a comment mentions. */
    mentions?: readonly string[];
  };

/** Returns the event for something that an actor did. Default time: now. */
export function eventOf(context: Context, actor: Actor, details: Details): NewEvent {
  const { mentions = [], ...rest } = details;
  return {
    version: null,
    firstVersion: null,
    threadId: null,
    targetId: null,
    at: context.now(),
    ...rest,
    id: context.newId(),
    accountId: actor.id,
    via: actor.via.means,
    viaName: actor.via.name,
    mentions: mentions.length === 0 ? null : mentions.join(' '),
  };
}

/** Returns the event of a write: a new text, or only a new name, visibility or owner. */
export function revisionEvent(
  context: Context,
  actor: Actor,
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
  return eventOf(context, actor, { ...rest, type });
}
