import { createFairQueue, type FairQueue } from '../limits/fair-queue.ts';

/**
 * Makes the queue for expensive requests, one for all surfaces: searches, previews, imports, exports
 * and tool calls. Four of one account run at once, and 200 wait; more are refused with 429. Accounts
 * don't wait for one another: a client that sends its body slowly holds places of its own account only.
 *
 * Don't hold a place while an answer is streamed: the client decides how long that takes.
 */
export function createAccountQueue(): FairQueue {
  return createFairQueue({
    ...{ running: Number.POSITIVE_INFINITY, runningPerKey: 4 },
    ...{ waiting: 5_000, waitingPerKey: 200 },
  });
}
