import { setTimeout as sleep } from 'node:timers/promises';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { type Actor, type Context, later } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { findFeedState } from '../../core/event/feed-store.ts';
import type { Subscriber } from '../../surfaces/mcp/features.ts';
import { parseDocumentUri } from '../../surfaces/mcp/uri.ts';
import { presentEvent } from './feed-schema.ts';
import { getDocumentEvents, requireInsider } from './feed-service.ts';
import {
  countSubscriptions,
  deleteExpiredSubscriptions,
  deleteSubscriptions,
  extendSubscriptions,
  insertSubscription,
  listSubscriptions,
  type Session,
  type SessionSubscription,
} from './session-subscription-store.ts';

/** The most documents of one session, and of all sessions of an account. */
const MAX_DOCUMENTS = 20;
const MAX_OF_ACCOUNT = 640;

/** How long subscriptions outlive the stream that reads them, so that hosts can connect again. */
const LIFETIME_MS = 24 * 60 * 60_000;

/** How often an open stream extends them. */
const EXTEND_MS = 60 * 60_000;

/**
 * Subscribes a session to a document (MCP until 2025-11-25, `resources/subscribe`). What happens
 * from now on is told in the session's stream, also if the stream opens later or at another process.
 *
 * @throws BAD_REQUEST for a URI that isn't a document's, or for too many; NOT_FOUND, FORBIDDEN
 *   unless the actor is an insider
 */
export async function subscribeInSession(
  context: Context,
  actor: Actor,
  sessionId: string,
  uri: string,
): Promise<void> {
  const ref = parseDocumentUri(uri);
  if (!ref) throw problem('is not the URI of a document, such as brief://ada/plans.');
  await requireInsider(context, actor, ref);
  const session = { accountId: actor.id, sessionId };
  await context.sql.transaction(async (tx) => {
    const existing = await listSubscriptions(tx, session);
    if (existing.some((one) => one.uri === uri)) return;
    const count = await countSubscriptions(tx, actor.id);
    if (existing.length >= MAX_DOCUMENTS || count >= MAX_OF_ACCOUNT) {
      throw problem(
        `is one too many: a session can have ${MAX_DOCUMENTS} subscriptions, all sessions of an ` +
          `account ${MAX_OF_ACCOUNT}.`,
      );
    }
    const { position } = await findFeedState(tx);
    const expiresAt = later(context.now(), LIFETIME_MS);
    await insertSubscription(tx, session, { uri, position, expiresAt });
  });
  context.feedWaiters.wake([topicOf(session)]);
}

/** Ends a session's subscription to a document, if there is one. */
export async function unsubscribeInSession(
  context: Context,
  actor: Actor,
  sessionId: string,
  uri: string,
): Promise<void> {
  const session = { accountId: actor.id, sessionId };
  await context.sql.transaction((tx) => deleteSubscriptions(tx, session, [uri]));
  context.feedWaiters.wake([topicOf(session)]);
}

/** Ends all subscriptions of a session. */
export async function endSession(context: Context, actor: Actor, sessionId: string): Promise<void> {
  const session = { accountId: actor.id, sessionId };
  await context.sql.transaction((tx) => deleteSubscriptions(tx, session));
  context.feedWaiters.wake([topicOf(session)]);
}

/** Deletes subscriptions that no stream has read for a day. @returns how many */
export async function sweepSubscriptions(context: Context): Promise<number> {
  return context.sql.transaction((tx) => deleteExpiredSubscriptions(tx, context.now()));
}

const topicOf = ({ accountId, sessionId }: Session) => `session:${accountId}:${sessionId}` as const;

function problem(text: string): FieldError {
  return new FieldError('BAD_REQUEST', 'uri', text);
}

/** Something that happened to a subscribed document. */
export interface Change {
  uri: string;
  event: object;
}

/**
 * Yields what happens to the documents that a session has subscribed to, a list after each wait; an
 * empty one is a sign of life. Ends when the signal aborts or the token ends. Drops subscriptions to
 * documents that the actor has lost access to, or that were renamed.
 */
export async function* sessionChanges(
  context: Context,
  { actor, requireToken }: Subscriber,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<Change[]> {
  const session = { accountId: actor.id, sessionId };
  const told = new Map<string, number>();
  let extendedAt = -Infinity;
  while (!signal.aborted) {
    try {
      await requireToken();
    } catch (error) {
      if (error instanceof ServiceError) return;
      throw error;
    }
    const subscriptions = await listSubscriptions(context.sql.read, session);
    if (subscriptions.length > 0 && performance.now() - extendedAt > EXTEND_MS) {
      extendedAt = performance.now();
      const expiresAt = later(context.now(), LIFETIME_MS);
      await context.sql.transaction((tx) => extendSubscriptions(tx, session, expiresAt));
    }
    const woken = wakeOf(context, session, signal);
    try {
      yield await nextChanges(context, actor, session, {
        subscriptions,
        told,
        woken,
        requireToken,
      });
    } finally {
      woken.end();
    }
  }
}

/** A signal that aborts when a session's subscriptions change, or when `signal` does. */
function wakeOf(context: Context, session: Session, signal: AbortSignal) {
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  void context.feedWaiters.next([topicOf(session)], both).then(() => end.abort());
  return { signal: both, end: () => end.abort() };
}

/** Waits for events of subscribed documents, and returns them. Updates the positions in `told`. */
async function nextChanges(
  context: Context,
  actor: Actor,
  session: Session,
  {
    subscriptions,
    told,
    woken,
    requireToken,
  }: {
    subscriptions: readonly SessionSubscription[];
    told: Map<string, number>;
    woken: { signal: AbortSignal };
    requireToken: () => Promise<void>;
  },
): Promise<Change[]> {
  const { signal } = woken;
  const ms = context.feedWaiters.pauseMs();
  const watched = await withAccess(context, actor, session, subscriptions);
  if (watched.length === 0) {
    await sleep(ms, undefined, { signal }).catch(() => {});
    return [];
  }
  const from = watched.map(({ uri, position }) => told.get(uri) ?? position);
  const refs = watched.map(({ ref }) => ref);
  const query = { after: Math.min(...from), wait: { ms, signal, requireToken } };
  const found = await undefinedIfRefused(
    getDocumentEvents(context, actor, refs, query, { withOwn: true }),
  );
  if (!found) return [];
  const changes = found.events.flatMap((event) =>
    watched.flatMap(({ id, uri }, index) =>
      id === event.documentId && (event.position ?? 0) > (from[index] as number)
        ? [{ uri, event: presentEvent(event) }]
        : [],
    ),
  );
  for (const { uri } of watched) told.set(uri, Math.max(told.get(uri) ?? 0, found.cursor));
  return changes;
}

/** Returns the documents that the actor can still watch, and drops the other subscriptions. */
async function withAccess(
  context: Context,
  actor: Actor,
  session: Session,
  subscriptions: readonly SessionSubscription[],
) {
  const checked = await Promise.all(
    subscriptions.map(async ({ uri, position }) => {
      const ref = parseDocumentUri(uri) as DocumentRef;
      const document = await undefinedIfRefused(requireInsider(context, actor, ref));
      return { uri, position, ref, id: document?.id };
    }),
  );
  const lost = checked.filter(({ id }) => id === undefined).map(({ uri }) => uri);
  if (lost.length > 0) {
    await context.sql.transaction((tx) => deleteSubscriptions(tx, session, lost));
  }
  return checked.filter(({ id }) => id !== undefined);
}

async function undefinedIfRefused<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
}
