import { Readable } from 'node:stream';
import type { Events } from '../document/feed/event-store.ts';
import { presentEvent } from '../document/feed/feed-schema.ts';
import type { EventQuery } from '../document/feed/feed-service.ts';
import { ServiceError } from '../errors.ts';

/** How often to send a comment while nothing happens, so that proxies keep the connection open. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Streams events as server-sent events (HTML standard, section "Server-sent events"). An event's id
 * is its position. The stream ends when the client leaves, the process stops, or `read` throws.
 *
 * @param after the position to start after
 * @param stopping aborts when the process stops
 * @param read reads events, and waits for them. It must throw a ServiceError once the reader has
 *   lost access
 */
export function eventStream(
  after: number | undefined,
  stopping: AbortSignal,
  read: (query: EventQuery) => Promise<Events>,
): Readable {
  const left = new AbortController();
  const stream = Readable.from(messages(after, AbortSignal.any([stopping, left.signal]), read), {
    objectMode: false,
  });
  stream.once('close', () => left.abort());
  return stream;
}

async function* messages(
  from: number | undefined,
  signal: AbortSignal,
  read: (query: EventQuery) => Promise<Events>,
): AsyncGenerator<string> {
  // Sends the headers to the client at once.
  yield ': events\n\n';
  let after = from;
  let isFirst = true;
  while (!signal.aborted) {
    let found: Events;
    try {
      // Send known events at once, and also that older ones are gone.
      found = await read({ after, waitMs: isFirst ? 0 : KEEP_ALIVE_MS, signal });
    } catch (error) {
      if (error instanceof ServiceError) return;
      throw error;
    }
    if (found.reset && isFirst) yield `event: reset\nid: ${found.cursor}\ndata: {}\n\n`;
    isFirst = false;
    for (const event of found.events) {
      const data = JSON.stringify({
        ...presentEvent(event),
        ...(event.reason && { reason: event.reason }),
      });
      yield `id: ${event.position}\nevent: ${event.type}\ndata: ${data}\n\n`;
    }
    if (found.events.length === 0) yield ': nothing new\n\n';
    after = found.cursor;
  }
}
