import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { createFairQueue } from '../limits/fair-queue.ts';
import type { Surface } from './addresses.ts';
import type { EventLoopWatch } from './event-loop-watch.ts';

/** Reading and checking a shorter body takes a millisecond or two. */
const LONG_BYTES = 8 * 1024;

/** Reads the bodies of requests, such as JSON, without blocking the event loop for several at once. */
export interface BodyTurns {
  /**
   * Calls `read` as soon as it is the request's turn.
   *
   * @param request has its caller, and its body as bytes
   * @returns what `read` returns; what it throws is thrown
   * @throws RATE_LIMITED (429) when 200 bodies of the caller are waiting; BackEndUnavailable (503)
   *   when 5,000 of all are
   */
  read<Result>(surface: Surface, request: FastifyRequest, read: () => Result): Promise<Result>;
}

/**
 * Makes the queue for long bodies. One is read in each iteration of the event loop, with all that its
 * request does next without waiting, so other requests are answered in between: a body of 6 MB takes
 * tens of milliseconds, and several often arrive at once. Accounts take turns.
 */
export function createBodyTurns(eventLoop: EventLoopWatch | undefined): BodyTurns {
  const queue = createFairQueue({ running: 1, waiting: 5_000, waitingPerKey: 200 });
  return {
    async read(surface, request, read) {
      const { length = 0 } = (request.body as Buffer | undefined) ?? {};
      if (length < LONG_BYTES) return read();
      return new Promise((resolve, reject) => {
        const take = async () => {
          eventLoop?.begins(surface, request);
          try {
            resolve(read());
          } catch (error) {
            reject(error);
          }
          await nextTurn();
        };
        queue.run(request.actor.id, take).catch(reject);
      });
    },
  };
}
