import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses requests that could change something unless a page of this host sent them. Otherwise
 * other sites could make a visitor's browser send them.
 */
export function requireSameOrigin(app: FastifyInstance, webUrl: string): void {
  const { origin } = new URL(webUrl);
  app.addHook('onRequest', async ({ method, headers }) => {
    if (SAFE_METHODS.includes(method) || isFromPageOf(origin, headers)) return;
    throw new ServiceError(
      'FORBIDDEN',
      `This form was not sent from ${origin}. Open the page there and try again.`,
    );
  });
}

/**
 * Tells whether a page of this origin sent a request, according to the browser. Current browsers
 * send `Origin` or `Sec-Fetch-Site` with every form. A request with neither could come from
 * anywhere.
 *
 * @param origin of the web host
 */
function isFromPageOf(origin: string, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  // Pages that send no referrer, such as those of secret links, send "null" (Fetch, "append a
  // request `Origin` header"). `Sec-Fetch-Site` then tells them from sandboxed documents, which are
  // cross-site.
  if (headers.origin === 'null') return site === 'same-origin';
  if (headers.origin !== undefined && headers.origin !== origin) return false;
  // "none" is the user's own action, such as reopening a tab.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin !== undefined;
}
