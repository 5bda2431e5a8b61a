import type { FastifyReply, FastifyRequest } from 'fastify';
import { DAY_MS } from '../../base/time/clock.ts';
import { hostCookie } from './cookies.ts';

/** The proofs that a browser was told passwords of secret links, in a cookie of the web host. */
export interface UnlockedLinks {
  of(request: FastifyRequest): string | undefined;
  keep(reply: FastifyReply, proofs: string): void;
}

export function createUnlockedLinks(webUrl: string): UnlockedLinks {
  const cookie = hostCookie(webUrl, { name: 'briefs-links', maxAgeMs: DAY_MS });
  return { of: (request) => cookie.read(request), keep: cookie.set };
}
