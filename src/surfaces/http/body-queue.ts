import { setImmediate as nextTick } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { createFairQueue } from '../../base/limits/fair-queue.ts';

/** Shorter bodies take 1–2 ms to parse and check. */
const LONG_BYTES = 8 * 1024;

/** Parses request bodies, such as JSON, without blocking the event loop for several at once. */
export interface BodyQueue {
  /**
   * Calls `read` when the queue allows.
   *
   * @param request authenticated, with its body as bytes
   * @returns the result of `read`
   * @throws RATE_LIMITED (429) if 200 bodies of the caller are waiting; BackEndUnavailable (503) if
   *   5,000 are waiting in all; any error of `read`
   */
  read<Result>(request: FastifyRequest, read: () => Result): Promise<Result>;
}

/**
 * Creates the queue for long bodies. Each event-loop iteration parses one and runs its request
 * until it first waits, so other requests are answered in between. A body of 6 MB takes tens of
 * milliseconds, and several often arrive at once. Accounts take turns.
 */
export function createBodyQueue(): BodyQueue {
  const queue = createFairQueue({ running: 1, waiting: 5_000, waitingPerKey: 200 });
  return {
    async read(request, read) {
      const { length = 0 } = (request.body as Buffer | undefined) ?? {};
      if (length < LONG_BYTES) return read();
      return new Promise((resolve, reject) => {
        const take = async () => {
          try {
            resolve(read());
          } catch (error) {
            reject(error);
          }
          await nextTick();
        };
        queue.run(request.actor.id, take).catch(reject);
      });
    },
  };
}
