import { createFairQueue, type FairQueue } from '../../base/limits/fair-queue.ts';

/**
 * Creates the queue for expensive requests of all surfaces: searches, previews, imports, exports
 * and tool calls. Each account can run 4 at once and queue 200; more get 429. If 5,000 are queued
 * in all, more get 503. A client that sends its body slowly delays only its own account.
 *
 * Leave the queue before streaming a response: the client decides how long that takes.
 */
export function createAccountQueue(): FairQueue {
  return createFairQueue({
    running: Number.POSITIVE_INFINITY,
    runningPerKey: 4,
    waiting: 5_000,
    waitingPerKey: 200,
  });
}
