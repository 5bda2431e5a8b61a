import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const WELL_FORMED = /^[\w.-]{8,64}$/;

/**
 * Returns the request's id: the `X-Request-Id` that the client or a proxy sent, if it is 8 to 64
 * letters, digits, `_`, `.` and `-`, so that logs of both can be matched; else a new UUID.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}
