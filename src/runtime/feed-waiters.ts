import { EventEmitter, once } from 'node:events';

/** What can be waited for: events of a document, or events that concern an account. */
export type Topic = `document:${string}` | `account:${string}`;

/** Requests of this process that wait for events. */
export interface FeedWaiters {
  /** Resolves when a topic has new events; rejects when `signal` or the process says to stop. */
  next(topic: Topic, signal: AbortSignal): Promise<unknown>;
  /** Wakes the requests that wait for these topics. */
  wake(topics: Iterable<Topic>): void;
  /** Whether someone waits. */
  isWaitedFor(): boolean;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
  /** Ends all waiting, now and later. */
  stop(): void;
}

export function createFeedWaiters(): FeedWaiters {
  const topics = new EventEmitter().setMaxListeners(0);
  const stopping = new AbortController();
  return {
    next: (topic, signal) => once(topics, topic, { signal }),
    wake(woken) {
      for (const topic of woken) topics.emit(topic);
    },
    isWaitedFor: () => topics.eventNames().length > 0,
    stopping: stopping.signal,
    stop: () => stopping.abort(),
  };
}
