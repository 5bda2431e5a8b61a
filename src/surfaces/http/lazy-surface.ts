import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { BARE_HEADERS } from './bare-headers.ts';
import type { RawHandler } from './node-server.ts';
import { requestIdOf } from './request-id.ts';

/** A surface that its first request creates. */
export interface LazySurface {
  routing: RawHandler;
  close(): Promise<void>;
}

/**
 * Creates a surface on its first request, so starts are quick and unused surfaces take no memory.
 * If that fails, the next request tries again.
 */
export function createLazySurface(
  create: () => Promise<FastifyInstance>,
  logger: Pick<FastifyBaseLogger, 'error'>,
): LazySurface {
  let surface: FastifyInstance | undefined;
  let creating: Promise<FastifyInstance> | undefined;

  async function createReady(): Promise<FastifyInstance> {
    try {
      const created = await create();
      await created.ready();
      surface = created;
      return created;
    } finally {
      creating = undefined;
    }
  }

  return {
    routing(request, response) {
      if (surface) return surface.routing(request, response);
      creating ??= createReady();
      creating.then(
        (created) => created.routing(request, response),
        (error) => {
          const requestId = requestIdOf(request);
          logger.error({ requestId, err: error }, 'a surface could not be created');
          const answer = new ServiceError(
            'UNAVAILABLE',
            'This part of the service could not start. Try again soon.',
          );
          response.writeHead(answer.status, {
            ...BARE_HEADERS,
            'content-type': 'application/json; charset=utf-8',
            'retry-after': '2',
            'x-request-id': requestId,
          });
          response.end(JSON.stringify(answer.toBody()));
        },
      );
    },
    async close() {
      await creating?.catch(() => {});
      await surface?.close();
    },
  };
}
