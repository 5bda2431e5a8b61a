import { EventEmitter, once } from 'node:events';
import { createSlots, type Slots } from '../limits/slots.ts';

/** What a request can wait for: a document's events, or events that concern an account. */
export type Topic = `document:${string}` | `account:${string}`;

/** Requests of this process that wait for events. */
export interface FeedWaiters {
  /**
   * Limits how many requests wait at once: each is cheap but holds a connection. The key is the
   * account with its token or application.
   */
  slots: Slots;
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
  return {
    slots: createSlots({ total: 2_000, perKey: 8 }),
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
