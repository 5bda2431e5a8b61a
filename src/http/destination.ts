import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors.ts';

/** A navigation of a tab, and `fetch()` (Fetch Metadata Request Headers, section 2.1). */
const ALLOWED = ['document', 'empty'];

/**
 * Refuses requests that a browser makes for a part of a page, such as an image or a frame, with 403.
 * A document can name any address as an image; without this, everyone who reads it would use up
 * their own rate limits there. Clients that don't send `Sec-Fetch-Dest` are let through.
 *
 * Add it before the hooks that count requests or do work.
 */
export function refuseSubresources(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    const destination = headers['sec-fetch-dest'];
    if (destination === undefined || ALLOWED.includes(`${destination}`)) return;
    throw new ServiceError(
      'FORBIDDEN',
      'This address can’t be embedded in a page. Open it in a tab of its own.',
    );
  });
}
