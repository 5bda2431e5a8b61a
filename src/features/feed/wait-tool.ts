import { Type } from 'typebox';
import { EVENT_TYPES, type EventType } from '../../base/schema/event.ts';
import type { EventRow, Events } from '../../core/event/event-store.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import { KindArgument, refOf } from '../../surfaces/mcp/document.ts';
import { AnyObject } from '../../surfaces/mcp/paging.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import {
  type EventQuery,
  type EventWait,
  getDocumentEvents,
  getOwnEvents,
} from './feed-service.ts';

/** In seconds. Hosts end a call after 60 seconds. */
const MAX_WAIT_S = 50;

/** The event types that each `until` waits for. */
const UNTIL = {
  any: EVENT_TYPES,
  comment: ['thread.opened', 'comment.added', 'thread.reopened', 'suggestion.rejected'],
  review: ['review.given'],
  revision: ['revision.created'],
} as const satisfies Record<string, readonly EventType[]>;
type Until = keyof typeof UNTIL;

export const waitForFeedback = defineTool({
  name: 'wait_for_feedback',
  title: 'Wait for feedback',
  description:
    'Waits up to 50 seconds until someone else comments on, reviews or changes documents; ' +
    'returns at once if that happened after `cursor`. If nothing happened, call again with the ' +
    'new cursor.',
  scope: 'documents:read',
  effect: { reads: true },
  waits: true,
  input: Type.Object(
    {
      documents: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          maxItems: 20,
          description: 'owner/name or addresses; default: all that concern you.',
        }),
      ),
      kind: KindArgument,
      until: Type.Optional(Choice(Object.keys(UNTIL) as Until[], { default: 'any' })),
      cursor: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 2_147_483_647,
          description: 'From the last result; default: from now; 0: what is stored.',
        }),
      ),
      wait_seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: MAX_WAIT_S, default: MAX_WAIT_S }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    events: Type.Array(AnyObject),
    cursor: Type.Integer(),
    pending: Type.Boolean(),
  }),
  handler: async ({ call, input, signal, requireToken }) => {
    const { documents, kind, until = 'any', wait_seconds: waitS = MAX_WAIT_S } = input;
    const refs = documents?.map((name) =>
      refOf(call, { name, ...(kind && { kind }) }, 'documents'),
    );
    const read = (query: EventQuery) =>
      refs
        ? getDocumentEvents(call, refs, query, { withOwn: false })
        : getOwnEvents(call, query, { withOwn: false });
    const leave = call.feedWaiters.enter(call.actor.id);
    try {
      const types: readonly EventType[] = UNTIL[until];
      const wait = { ms: waitS * 1_000, signal, requireToken };
      const found = await readUntil(read, types, { after: input.cursor, wait });
      const events = found.events.map(presentEvent);
      const { cursor } = found;
      return { summary: inWords(found), data: { events, cursor, pending: events.length === 0 } };
    } finally {
      leave();
    }
  },
});

/** Reads and waits until an event of one of these types happens or the time is up. */
async function readUntil(
  read: (query: EventQuery) => Promise<Events>,
  types: readonly EventType[],
  { after, wait }: { after: number | undefined; wait: EventWait },
): Promise<Events> {
  const { signal, requireToken } = wait;
  const end = performance.now() + wait.ms;
  for (let from = after; ; ) {
    const ms = Math.max(0, Math.round(end - performance.now()));
    const found = await read({ after: from, wait: { ms, signal, requireToken } });
    const events = found.events.filter(({ type }) => types.includes(type));
    if (events.length > 0 || found.events.length === 0) return { ...found, events };
    from = found.cursor;
  }
}

function inWords({ events, cursor, reset }: Events): string {
  const gap = reset ? 'Events may be missing: read the documents again. ' : '';
  if (events.length === 0) return `${gap}Nothing yet. Call again with cursor ${cursor}.`;
  return `${gap}${events.length} ${events.length === 1 ? 'event' : 'events'}, oldest first.`;
}

function presentEvent(event: EventRow): object {
  const { type, owner, name, kind, author, coAuthors, via, version, threadId, at } = event;
  const { firstVersion } = event;
  return {
    type,
    document: `${owner}/${name}`,
    kind,
    ...(author !== null && { by: author }),
    ...(coAuthors.length > 0 && { with: coAuthors }),
    ...(via !== null && { via }),
    ...(version !== null && { revision: version }),
    ...(firstVersion !== null && firstVersion !== version && { firstRevision: firstVersion }),
    ...(threadId !== null && { thread: threadId }),
    at,
  };
}
