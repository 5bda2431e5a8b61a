import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { Events } from '../../core/event/event-store.ts';
import type { FeedWaiters } from '../../core/event/feed-waiters.ts';
import type { Answer } from '../../surfaces/rest/operation.ts';
import { presentEvent } from './feed-schema.ts';
import type { EventQuery, EventWait } from './feed-service.ts';

/**
 * Returns the answer to a request that waits. If it takes longer than a pause, the answer begins
 * with status 200, and a space, which JSON allows before a value, follows after each further pause.
 * So proxies, which close connections that are silent, see a sign of life.
 *
 * @param result what the request waits for. If it throws before the answer begins, so does this.
 * @param ended what to answer if it throws a ServiceError later, when no other status can be sent:
 *   nothing new. The caller's next request gets the error.
 * @param pauseMs returns how long to pause, in ms
 */
export async function answerInTime<Result extends object>(
  result: Promise<Result>,
  ended: Result,
  pauseMs: () => number,
): Promise<Answer> {
  const done = result.then((data) => ({ data }));
  const first = await Promise.race([done, pause(pauseMs())]);
  if (first) return { status: 200, data: first.data };
  const body = Readable.from(pieces(done, ended, pauseMs), { objectMode: false });
  return { status: 200, stream: { type: 'application/json; charset=utf-8', body } };
}

async function* pieces<Result>(
  done: Promise<{ data: Result }>,
  ended: Result,
  pauseMs: () => number,
): AsyncGenerator<string> {
  const settled = done.catch((error) => {
    if (error instanceof ServiceError) return { data: ended };
    throw error;
  });
  for (;;) {
    yield ' ';
    const answer = await Promise.race([settled, pause(pauseMs())]);
    if (answer) return yield JSON.stringify(answer);
  }
}

async function pause(ms: number): Promise<undefined> {
  await sleep(ms, undefined, { ref: false });
}

/** Where a stream's events come from. */
interface StreamParts extends Pick<EventWait, 'requireToken'> {
  feedWaiters: FeedWaiters;
  /**
   * Reads events, and waits for them. It must throw a ServiceError once the reader has lost access.
   */
  read: (query: EventQuery) => Promise<Events>;
}

/**
 * Streams events as server-sent events (HTML standard, section "Server-sent events"). An event's id
 * is its position. The stream ends when the client leaves, the process stops, the token ends, or
 * `read` throws. It reads no events while its reader has some left to read.
 *
 * @param after the position to start after
 */
export function eventStream(after: number | undefined, parts: StreamParts): Readable {
  const left = new AbortController();
  const signal = AbortSignal.any([parts.feedWaiters.stopping, left.signal]);
  const stream = Readable.from(messages(after, signal, parts), { objectMode: false });
  stream.once('close', () => left.abort());
  return stream;
}

async function* messages(
  from: number | undefined,
  signal: AbortSignal,
  { feedWaiters, requireToken, read }: StreamParts,
): AsyncGenerator<string> {
  // Sends the headers to the client at once.
  yield ': events\n\n';
  let after = from;
  let isFirst = true;
  while (!signal.aborted) {
    let found: Events;
    try {
      // Send known events at once, and also that older ones are gone.
      const ms = isFirst ? 0 : feedWaiters.pauseMs();
      found = await read({ after, wait: { ms, signal, requireToken } });
    } catch (error) {
      if (error instanceof ServiceError) return;
      throw error;
    }
    if (found.reset && isFirst) yield `event: reset\nid: ${found.cursor}\ndata: {}\n\n`;
    isFirst = false;
    for (const event of found.events) {
      const data = JSON.stringify(presentEvent(event));
      yield `id: ${event.position}\nevent: ${event.type}\ndata: ${data}\n\n`;
    }
    if (found.events.length === 0) yield ': nothing new\n\n';
    after = found.cursor;
  }
}
