import type { FastifyReply, FastifyRequest } from 'fastify';
import { hostCookie } from './cookies.ts';

/** What the front page says to whoever has just left, by what they did. */
const FAREWELLS = {
  everywhere: 'You are signed out everywhere.',
  deleted: 'Your account is deleted, with everything that was its own.',
} as const;

/** Carries a last word to the front page, where there is no session any more. */
export interface Farewell {
  set(reply: FastifyReply, farewell: keyof typeof FAREWELLS): void;
  /** What to say, which is gone then. */
  take(request: FastifyRequest, reply: FastifyReply): string | undefined;
}

const KEPT_FOR_MS = 60_000;

/** Keeps which word it is in a cookie, so that no address makes the page say so. */
export function createFarewell(webUrl: string): Farewell {
  const cookie = hostCookie(webUrl, { name: 'briefs-farewell', maxAgeMs: KEPT_FOR_MS });
  return {
    set: (reply, farewell) => cookie.set(reply, farewell),
    take(request, reply) {
      const farewell = cookie.read(request);
      if (farewell === undefined) return undefined;
      cookie.clear(reply);
      const isKnown = Object.hasOwn(FAREWELLS, farewell);
      return isKnown ? FAREWELLS[farewell as keyof typeof FAREWELLS] : undefined;
    },
  };
}
