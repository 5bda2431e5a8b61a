import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors.ts';
import { createSurface, type HttpParts } from '../http/server.ts';

const HEADERS = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const NOTHING_HERE = new ServiceError('NOT_FOUND', 'There is nothing at this address.');

/**
 * Makes the render host, an origin of its own for what is not to be trusted. Whatever goes wrong
 * here looks the same from outside.
 */
export function createRenderSurface(http: HttpParts): FastifyInstance {
  return createSurface({
    ...http,
    surface: 'render',
    headers: HEADERS,
    renderError: () => ({
      status: NOTHING_HERE.status,
      contentType: 'application/json; charset=utf-8',
      body: JSON.stringify(NOTHING_HERE.toBody()),
    }),
  });
}
