import { EventEmitter, once } from 'node:events';
import { BackEndUnavailable, RETRY_AFTER_S, ServiceError } from '../../base/errors.ts';
import { createSlots } from '../../base/limits/slots.ts';

/** How many requests of one account can wait at once, whatever its tokens. */
const PER_ACCOUNT = 32;

/** How many requests of a process can wait, and how many of them only for accounts that have none. */
const LIMITS = { total: 2_000, reserved: 500, perKey: PER_ACCOUNT };

/**
 * The longest and shortest pause of a stream while nothing happens. Proxies close connections that
 * are silent for longer.
 */
const MAX_PAUSE_MS = 15_000;
const MIN_PAUSE_MS = 10_000;

/** What a request can wait for: a document's events, or events that concern an account. */
export type Topic = `document:${string}` | `account:${string}`;

/** Requests of this process that wait for events. */
export interface FeedWaiters {
  /**
   * Takes a place for a request that waits. Each is cheap, but holds a connection.
   *
   * @returns a function that gives the place back
   * @throws RATE_LIMITED (429) if the account has 32 places; BackEndUnavailable (503) if too many
   *   requests wait in all
   */
  enter(accountId: string): () => void;
  /**
   * Returns how long a stream pauses, in ms, before it sends a sign of life and checks again that
   * its token works. A random time, so that streams that were opened together don't wake together.
   */
  pauseMs(): number;
  /**
   * Resolves with `true` when one of these topics has new events, or with `false` when `signal`
   * aborts or the process stops.
   */
  next(topics: readonly Topic[], signal: AbortSignal): Promise<boolean>;
  wake(topics: Iterable<Topic>): void;
  isWaitedFor(): boolean;
  /** Aborts when the process stops. */
  stopping: AbortSignal;
  /** Ends all waits, now and later. */
  stop(): void;
}

export function createFeedWaiters(): FeedWaiters {
  const emitter = new EventEmitter().setMaxListeners(0);
  const stopping = new AbortController();
  const places = createSlots(LIMITS);
  return {
    enter(accountId) {
      const leave = places.take(accountId);
      if (leave === 'own') throw tooManyOwn();
      if (leave === 'all')
        throw new BackEndUnavailable('Too many requests are waiting for events.');
      return leave;
    },
    pauseMs: () => MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS),
    async next(topics, signal) {
      const woken = new AbortController();
      const end = AbortSignal.any([signal, stopping.signal, woken.signal]);
      try {
        await Promise.race(topics.map((topic) => once(emitter, topic, { signal: end })));
        return true;
      } catch {
        return false;
      } finally {
        woken.abort();
      }
    },
    wake(topics) {
      for (const topic of topics) emitter.emit(topic);
    },
    isWaitedFor: () => emitter.eventNames().length > 0,
    stopping: stopping.signal,
    stop: () => stopping.abort(),
  };
}

function tooManyOwn(): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `Your account has ${PER_ACCOUNT} open requests that wait for events, which is the limit. End ` +
      'one first.',
    RETRY_AFTER_S,
  );
}
