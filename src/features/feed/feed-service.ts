import { ServiceError } from '../../base/errors.ts';
import type { Actor, Call, Context } from '../../core/context.ts';
import { isInsider } from '../../core/document/access-rules.ts';
import { refuseProgram, requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import {
  type EventRow,
  type Events,
  listConcerning,
  listDocumentEvents,
  type Stretch,
} from '../../core/event/event-store.ts';
import { deleteOldEvents, findFeedState, findRemovedUntil } from '../../core/event/feed-store.ts';
import type { Topic } from '../../core/event/feed-waiters.ts';
import { selectVisible } from './event-access.ts';

/** The most events in one answer, unless it asks for fewer. */
const MAX_EVENTS = 100;

/** How long events are stored. */
const RETENTION_MS = 90 * 24 * 60 * 60_000;

/** How many events one transaction deletes. */
const SWEEP_BATCH = 1_000;

/** The requested events. */
export interface EventQuery {
  /** The position to start after; `undefined` for the newest one. */
  after: number | undefined;
  /** The most events. Default: 100. */
  limit?: number;
  /** How to wait if there are no events. Without it, the answer comes at once. */
  wait?: EventWait | undefined;
}

/** A wait for events, on any surface: part of a long poll, a stream, a tool call or a subscription. */
export interface EventWait {
  ms: number;
  /** Aborts the wait; the answer is then empty. */
  signal: AbortSignal;
  /**
   * Requires that the caller's token still works. Called before each answer, because a token can
   * end during the wait, or while a stream's reader doesn't read.
   *
   * @throws UNAUTHORIZED
   */
  requireToken(): Promise<void>;
}

/**
 * Returns documents' events after a position, and waits for the first if there are none.
 *
 * @param options.withOwn whether to include events that the actor caused by the same means: the
 *   same token, the same application, or the web app
 * @throws NOT_FOUND if a document is missing or the actor can't read it, also while waiting;
 *   FORBIDDEN unless the actor is an insider; UNAUTHORIZED if the token ended while waiting
 */
export async function getDocumentEvents(
  call: Call,
  refs: readonly DocumentRef[],
  query: EventQuery,
  { withOwn }: { withOwn: boolean },
): Promise<Events> {
  const requireAll = () => Promise.all(refs.map((ref) => requireInsider(call, ref)));
  const ids = (await requireAll()).map(({ id }) => id);
  const topics = ids.map((id) => `document:${id}` as const);
  const source: EventSource<EventRow> = {
    list: (stretch) => listDocumentEvents(call.sql.read, ids, stretch),
    async select(events) {
      await requireAll();
      return withOwn ? events : events.filter(isByOthers(call.actor));
    },
  };
  return seenWaiting(call, ids, query, () => waitForEvents(call, topics, query, source));
}

/**
 * Requires that the actor can see all events of a document.
 *
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function requireInsider(call: Call, ref: DocumentRef) {
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'read');
  if (!isInsider(document)) {
    await refuseProgram(call.sql.read, call.actor, ref, isInsider);
    throw new ServiceError(
      'FORBIDDEN',
      `Only the owner, collaborators and members see the events of this ${ref.kind}.`,
    );
  }
  return document;
}

/**
 * Returns the events after a position that concern the actor. Waits for the first if there are none.
 *
 * @param options.withOwn as for {@link getDocumentEvents}
 * @throws UNAUTHORIZED if the token ended while waiting
 */
export async function getOwnEvents(
  call: Call,
  query: EventQuery,
  { withOwn }: { withOwn: boolean },
): Promise<Events> {
  const { actor } = call;
  const source: EventSource<EventRow> = {
    list: (stretch) => listConcerning(call.sql.read, actor.id, stretch),
    async select(events) {
      const visible = await selectVisible(call, call.sql.read, actor.id, events);
      return withOwn ? visible : visible.filter(isByOthers(actor));
    },
  };
  return seenWaiting(call, undefined, query, () =>
    waitForEvents(call, [`account:${actor.id}`], query, source),
  );
}

/** Shows a program at documents while it waits for their events (`Presence.waits`). */
async function seenWaiting<Result>(
  { presence, actor }: Call,
  documentIds: readonly string[] | undefined,
  { wait }: EventQuery,
  run: () => Promise<Result>,
): Promise<Result> {
  const done = wait?.ms ? presence.waits(actor, documentIds) : undefined;
  try {
    return await run();
  } finally {
    done?.();
  }
}

/**
 * Returns a function that tells whether someone else caused an event, or the actor by other means
 * (such as another token).
 */
function isByOthers({ id, via: { means, name } }: Actor) {
  return ({ accountId, via, viaName }: EventRow): boolean =>
    accountId !== id || via !== means || viaName !== name;
}

/** How to read events of one kind. */
interface EventSource<Event extends EventRow> {
  list(stretch: Stretch): Promise<Event[]>;
  /** Leaves out the events that the actor can't see or doesn't want. Called after each `list`. */
  select(events: Event[]): Promise<Event[]>;
}

/**
 * Reads events, and waits until there are some. All waits for events end here, so that none tells
 * anything to a token that has ended.
 */
async function waitForEvents<Event extends EventRow>(
  context: Context,
  topics: readonly Topic[],
  query: EventQuery,
  source: EventSource<Event>,
): Promise<Events> {
  const found = await findOrAwaitEvents(context, topics, query, source);
  await query.wait?.requireToken();
  return found;
}

async function findOrAwaitEvents<Event extends EventRow>(
  { sql, feedWaiters }: Context,
  topics: readonly Topic[],
  { after, limit = MAX_EVENTS, wait }: EventQuery,
  { list, select }: EventSource<Event>,
): Promise<Events> {
  const { position } = await findFeedState(sql.read);
  // A position that the feed hasn't come to is from before a backup was restored.
  const isBeyond = after !== undefined && after > position;
  const start = isBeyond ? position : (after ?? position);
  const reset = isBeyond || (start > 0 && start < (await findRemovedUntil(sql.read)));
  const done = new AbortController();
  const timer = setTimeout(() => done.abort(), wait?.ms ?? 0);
  const end = wait ? AbortSignal.any([wait.signal, done.signal]) : done.signal;
  let cursor = start;
  try {
    for (;;) {
      // Listen before reading, so that no event in between is missed.
      const news = feedWaiters.next(topics, end);
      const found = await list({ after: cursor, limit });
      const events = await select(found);
      cursor = found.at(-1)?.position ?? cursor;
      if (events.length > 0) return { events, cursor, reset };
      if (found.length === limit) continue;
      if (isBeyond || !wait?.ms || !(await news)) return { events: [], cursor, reset };
    }
  } finally {
    clearTimeout(timer);
    done.abort();
  }
}

/** Deletes events that are older than 90 days. @returns how many */
export async function sweepFeed(context: Context): Promise<number> {
  const before = new Date(Date.parse(context.now()) - RETENTION_MS).toISOString();
  for (let removed = 0; ; ) {
    const count = await context.sql.transaction((tx) => deleteOldEvents(tx, before, SWEEP_BATCH));
    removed += count;
    if (count < SWEEP_BATCH) return removed;
  }
}
