import type { ServerEvent } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { Events } from '../../core/event/event-store.ts';
import { endIfUnread, untilRead } from '../../surfaces/http/unread.ts';
import { isFault } from '../../surfaces/mcp/failure.ts';
import type { Subscriber, Subscription } from '../../surfaces/mcp/features.ts';
import { parseDocumentUri } from '../../surfaces/mcp/uri.ts';
import { presentEvent } from './feed-schema.ts';
import { getDocumentEvents, requireInsider } from './feed-service.ts';

/** The most documents of one subscription. */
const MAX_DOCUMENTS = 20;

/** The subscribed documents by id, with the URIs that name them. */
type Watched = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the URIs that a `subscriptions/listen` message subscribes to (MCP 2026-07-28,
 * "Subscriptions"); `undefined` for other messages, and for empty or invalid lists, which the
 * library answers.
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

/**
 * Subscribes to documents. The library sends everything on a bus to everyone who listens to it, so
 * each subscription has a bus of its own. Token and access are checked again before each change.
 *
 * @param reply the answer, which becomes the stream
 * @throws BAD_REQUEST for a URI that isn't a document's, or more than 20; NOT_FOUND, FORBIDDEN
 *   unless the actor is an insider of all documents; RATE_LIMITED if the account waits in too many
 *   requests; BackEndUnavailable if too many wait in all
 */
export async function subscribe(
  call: Call,
  subscriber: Subscriber,
  reply: FastifyReply,
  uris: readonly string[],
): Promise<Subscription> {
  const { feedWaiters, actor } = call;
  if (uris.length > MAX_DOCUMENTS) throw problem(`must have at most ${MAX_DOCUMENTS} URIs.`);
  const refs = uris.map(requireRef);
  const watched = await requireDocuments(call, uris, refs);
  const end = new AbortController();
  // Read before the stream begins, so that the caller misses nothing after its confirmation.
  const now = { after: undefined };
  const { cursor } = await getDocumentEvents(call, refs, now, { withOwn: true });
  const leave = feedWaiters.enter(actor.id);
  endIfUnread(reply);
  const ended = AbortSignal.any([end.signal, feedWaiters.stopping]);
  ended.addEventListener('abort', leave, { once: true });
  const publish = (listener: (event: ServerEvent) => void) =>
    publishChanges(
      call,
      subscriber,
      { refs, watched, cursor },
      { listener, reply, signal: ended },
    ).catch((thrown) => {
      if (isFault(thrown)) subscriber.log.error({ err: thrown }, 'a subscription failed');
    });
  let hasListener = false;
  return {
    ended,
    end: () => end.abort(),
    hasListener: () => hasListener,
    bus: {
      // Ignores what the library publishes.
      publish() {},
      subscribe(listener) {
        hasListener = true;
        void publish(listener).finally(() => end.abort());
        return () => end.abort();
      },
    },
  };
}

function requireRef(uri: string): DocumentRef {
  const ref = parseDocumentUri(uri);
  if (ref) return ref;
  throw problem(`“${uri}” is not the URI of a document, such as brief://ada/plans.`);
}

function problem(text: string): FieldError {
  return new FieldError('BAD_REQUEST', 'resourceSubscriptions', text);
}

/** Finds the subscribed documents. @throws NOT_FOUND, FORBIDDEN, which name the URI */
async function requireDocuments(
  call: Call,
  uris: readonly string[],
  refs: readonly DocumentRef[],
): Promise<Watched> {
  const watched = new Map<string, string[]>();
  for (const [index, ref] of refs.entries()) {
    const uri = uris[index] as string;
    try {
      const { id } = await requireInsider(call, ref);
      watched.set(id, [...(watched.get(id) ?? []), uri]);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const code = error.code === 'MOVED' ? 'NOT_FOUND' : error.code;
      throw new FieldError(code, 'resourceSubscriptions', `“${uri}”: ${error.message}`);
    }
  }
  return watched;
}

/**
 * Sends changes until the signal aborts or the actor loses access to one of the documents. Reads no
 * events while the reader has some left to read: the library would keep them in memory.
 */
async function publishChanges(
  call: Call,
  { requireToken }: Subscriber,
  from: { refs: readonly DocumentRef[]; watched: Watched; cursor: number },
  to: { listener(event: ServerEvent): void; reply: FastifyReply; signal: AbortSignal },
): Promise<void> {
  const { refs, watched } = from;
  const { listener, reply, signal } = to;
  for (let after = from.cursor; !signal.aborted; ) {
    await untilRead(reply, signal);
    const wait = { ms: call.feedWaiters.pauseMs(), signal, requireToken };
    const query = { after, wait };
    const found: Events = await getDocumentEvents(call, refs, query, { withOwn: true });
    for (const event of found.events) {
      const uris = watched.get(event.documentId);
      // A new document has the name of one that was deleted.
      if (!uris) return;
      // What happened, for hosts that want to know before they read.
      const params = { _meta: { event: presentEvent(event) } };
      for (const uri of uris) listener({ kind: 'resource_updated', uri, params });
    }
    after = found.cursor;
  }
}
