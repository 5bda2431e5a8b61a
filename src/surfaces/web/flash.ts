import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Context, later } from '../../core/context.ts';
import type { Visits } from './browser-session.ts';
import { hostCookie } from './cookies.ts';
import { createSeal } from './sealed.ts';

/** A form without visible fields. */
export interface FlashForm {
  action: string;
  fields: Readonly<Record<string, string>>;
}

/** A message that the next page shows once. */
export interface Flash {
  message: string;
  /** Whether it reports an error. */
  isFault?: boolean;
  /** The form of the Undo button, if the action can be undone. */
  undo?: FlashForm;
  /** The form of another button, for what the user may want to do next. */
  next?: FlashForm & { label: string };
}

/** Carries one message from a form to the page that follows it. */
export interface Flashes {
  set(request: FastifyRequest, reply: FastifyReply, flash: Flash): void;
  /**
   * Returns the message and clears it. Not for a page that a script fetches to bring the one on the
   * screen up to date, and says so in `x-page-update`: it shows no message, and would take it away from
   * the page that it is for, perhaps in another tab.
   */
  take(request: FastifyRequest, reply: FastifyReply): Flash | undefined;
}

const KEPT_FOR_MS = 60_000;

/**
 * Stores the message in a cookie, sealed for the browser's session. Only this service can write
 * one, and it is useless in another session.
 */
export function createFlashes(context: Context, visits: Visits): Flashes {
  const cookie = hostCookie(context.webUrl, { name: 'briefs-flash', maxAgeMs: KEPT_FOR_MS });
  const sealOf = (request: FastifyRequest) => {
    const secret = visits.secretOf(request);
    return secret === undefined ? undefined : createSeal<Flash>(secret, 'flash');
  };
  return {
    set(request, reply, flash) {
      const sealed = sealOf(request)?.seal(flash, later(context.now(), KEPT_FOR_MS));
      if (sealed !== undefined) cookie.set(reply, sealed);
    },
    take(request, reply) {
      const sealed = cookie.read(request);
      if (sealed === undefined || request.headers['x-page-update'] !== undefined) return undefined;
      cookie.clear(reply);
      return sealOf(request)?.open(sealed, context.now());
    },
  };
}
