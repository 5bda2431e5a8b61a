import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import type { Actor, Context } from '../context.ts';
import type { DocumentRef } from '../document/document-ref.ts';
import type { Events } from '../document/feed/event-store.ts';
import { presentEvent } from '../document/feed/feed-schema.ts';
import { getDocumentEvents, requireInsider, waiterKey } from '../document/feed/feed-service.ts';
import { FieldError } from '../errors.ts';
import { isFault } from './failure.ts';
import { parseDocumentUri } from './uri.ts';

/** The most documents of one subscription. */
const MAX_DOCUMENTS = 20;

/** How often to check that the caller can still see the documents, in ms. */
const CHECK_EVERY_MS = 15_000;

/** The subscribed documents' URIs by document id. */
type Watched = ReadonlyMap<string, string>;

/**
 * Returns the URIs that a `subscriptions/listen` message subscribes to (MCP 2026-07-28,
 * "Subscriptions"); `undefined` for other messages, and where the library has to answer.
 */
export function subscribedUris(message: unknown): readonly string[] | undefined {
  const { method, params } = message as {
    method?: unknown;
    params?: { notifications?: { resourceSubscriptions?: unknown } };
  };
  if (method !== 'subscriptions/listen') return undefined;
  const uris = params?.notifications?.resourceSubscriptions;
  if (!Array.isArray(uris) || uris.length === 0) return undefined;
  return uris.every((uri) => typeof uri === 'string') ? uris : undefined;
}

/** One caller's stream of changes. */
export interface Subscription {
  /** Where the library gets the changes from. It has one listener, the caller's stream. */
  bus: ServerEventBus;
  /** Aborts when the stream has to end: it was closed, access ended, or the process stops. */
  ended: AbortSignal;
  end(): void;
  /** Tells whether the library listens to the bus. */
  isHeard(): boolean;
}

/**
 * Subscribes to documents. The library sends everything on a bus to everyone who listens to it, so
 * each subscription has a bus of its own, and access is checked again before each change.
 *
 * @throws BAD_REQUEST for other URIs or too many; NOT_FOUND, FORBIDDEN unless the actor is an insider
 *   of all documents; RATE_LIMITED if the actor waits in too many requests
 */
export async function subscribe(
  context: Context,
  { actor, log }: { actor: Actor; log: FastifyBaseLogger },
  uris: readonly string[],
): Promise<Subscription> {
  const refs = uris.map(requireRef);
  if (uris.length > MAX_DOCUMENTS) {
    throw new FieldError(
      'BAD_REQUEST',
      'resourceSubscriptions',
      `must have at most ${MAX_DOCUMENTS} URIs.`,
    );
  }
  const documents = await Promise.all(refs.map((ref) => requireInsider(context, actor, ref)));
  const watched = new Map(documents.map(({ id }, index) => [id, uris[index] as string]));
  const end = new AbortController();
  // Read before the stream begins, so that the caller misses nothing after its confirmation.
  const now = { after: undefined, waitMs: 0, signal: end.signal };
  const { cursor } = await getDocumentEvents(context, actor, refs, now, { withOwn: true });
  const leave = context.feedWaiters.slots.take(waiterKey(actor));
  const ended = AbortSignal.any([end.signal, context.feedWaiters.stopping]);
  ended.addEventListener('abort', leave, { once: true });
  const publish = (listener: (event: ServerEvent) => void) =>
    publishChanges(context, actor, refs, watched, cursor, { listener, signal: ended }).catch(
      (thrown) => {
        if (isFault(thrown)) log.error({ err: thrown }, 'a subscription failed');
      },
    );
  let isHeard = false;
  return {
    ended,
    end: () => end.abort(),
    isHeard: () => isHeard,
    bus: {
      // Nothing else is sent.
      publish() {},
      subscribe(listener) {
        isHeard = true;
        void publish(listener).finally(() => end.abort());
        return () => end.abort();
      },
    },
  };
}

function requireRef(uri: string): DocumentRef {
  const ref = parseDocumentUri(uri);
  if (ref) return ref;
  throw new FieldError(
    'BAD_REQUEST',
    'resourceSubscriptions',
    'must be URIs of documents, such as brief://ada/plans.',
  );
}

/** Sends changes until the signal aborts or the actor loses access to one of the documents. */
async function publishChanges(
  context: Context,
  actor: Actor,
  refs: readonly DocumentRef[],
  watched: Watched,
  from: number,
  { listener, signal }: { listener(event: ServerEvent): void; signal: AbortSignal },
): Promise<void> {
  for (let after = from; !signal.aborted; ) {
    const query = { after, waitMs: CHECK_EVERY_MS, signal };
    const found: Events = await getDocumentEvents(context, actor, refs, query, { withOwn: true });
    for (const event of found.events) {
      const uri = watched.get(event.documentId);
      // What happened, for hosts that want to know before they read.
      const params = { _meta: { event: presentEvent(event) } };
      if (uri !== undefined) listener({ kind: 'resource_updated', uri, params });
    }
    after = found.cursor;
  }
}
