import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const WELL_FORMED = /^[\w.-]{8,64}$/;

/**
 * Returns the client's or proxy's `X-Request-Id`, if it has 8 to 64 letters, digits, `_`, `.` or
 * `-`, so that both logs have the same id. Otherwise returns a new UUID.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}
