import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';

/** Navigation and `fetch()` (Fetch Metadata Request Headers, section 2.1). */
const ALLOWED = ['document', 'empty'];

/**
 * Answers 403 if a browser requests the address as part of a page, such as an image or frame.
 * Otherwise a document could embed the address and use up its readers' rate limits. Clients that
 * don't send `Sec-Fetch-Dest` are accepted.
 *
 * Add it before hooks that count requests or do work.
 */
export function refuseSubresources(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    const destination = headers['sec-fetch-dest'];
    if (destination === undefined || ALLOWED.includes(`${destination}`)) return;
    throw new ServiceError(
      'FORBIDDEN',
      'This address can’t be embedded in a page. Open it in its own tab.',
    );
  });
}
