import type { FastifyReply, FastifyRequest } from 'fastify';
import { hostCookie } from './cookies.ts';

/** Messages that the front page shows after a sign-out, by reason. */
const FAREWELLS = {
  everywhere: 'You’re signed out everywhere.',
  deleted: 'Your account was deleted, with all its documents and files.',
} as const;

/** Carries a message to the front page, which has no session to store it in. */
export interface Farewell {
  set(reply: FastifyReply, farewell: keyof typeof FAREWELLS): void;
  /** Returns the message and clears it. */
  take(request: FastifyRequest, reply: FastifyReply): string | undefined;
}

const KEPT_FOR_MS = 60_000;

/** Stores the reason in a cookie, so that no link can make the page show a message. */
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
