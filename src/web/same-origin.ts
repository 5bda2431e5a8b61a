import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses every request that could change something and does not come from a page of this host:
 * other sites could make a visitor's browser send it.
 */
export function requireSameOrigin(app: FastifyInstance, webUrl: string): void {
  const { origin } = new URL(webUrl);
  app.addHook('onRequest', async ({ method, headers }) => {
    if (SAFE_METHODS.includes(method) || isFromPageOf(origin, headers)) return;
    throw new ServiceError(
      'FORBIDDEN',
      `This was not sent from a page of ${origin}. Open the page there, and try again.`,
    );
  });
}

/**
 * Whether a browser says of a request that a page of this origin made it. Every browser in use says
 * so of a form, by `Origin` or `Sec-Fetch-Site`; what says neither could be anything.
 *
 * @param origin of the web host
 */
export function isFromPageOf(origin: string, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined && headers.origin !== origin) return false;
  // "none" is a person's own doing, such as opening again what a browser had open.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin !== undefined;
}
