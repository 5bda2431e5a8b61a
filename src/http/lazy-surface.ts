import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { ServiceError } from '../errors.ts';
import { requestIdOf } from './request-id.ts';
import type { RawHandler } from './server.ts';

/** A surface that is made when the first request for it comes. */
export interface OnDemand {
  routing: RawHandler;
  close(): Promise<void>;
}

/**
 * Puts off what a surface loads and asks until somebody needs it, so that a start is quick and whoever
 * never does has the memory for something else. A surface that could not be made is tried again with
 * the next request.
 */
export function onDemand(
  make: () => Promise<FastifyInstance>,
  logger: Pick<FastifyBaseLogger, 'error'>,
): OnDemand {
  let surface: FastifyInstance | undefined;
  let making: Promise<FastifyInstance> | undefined;

  async function makeReady(): Promise<FastifyInstance> {
    try {
      const made = await make();
      await made.ready();
      surface = made;
      return made;
    } finally {
      making = undefined;
    }
  }

  return {
    routing(request, response) {
      if (surface) return surface.routing(request, response);
      making ??= makeReady();
      making.then(
        (made) => made.routing(request, response),
        (error) => {
          const requestId = requestIdOf(request);
          logger.error({ requestId, err: error }, 'a surface could not be made');
          const answer = new ServiceError('UNAVAILABLE', 'This is not there yet. Try again soon.');
          response.writeHead(answer.status, {
            'content-type': 'application/json; charset=utf-8',
            'retry-after': '2',
            'x-request-id': requestId,
          });
          response.end(JSON.stringify(answer.toBody()));
        },
      );
    },
    async close() {
      await making?.catch(() => {});
      await surface?.close();
    },
  };
}
