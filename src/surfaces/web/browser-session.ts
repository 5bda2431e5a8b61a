import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, Context } from '../../core/context.ts';
import {
  endSession,
  findVisitor,
  SESSION_LIFETIME_MS,
  type SignedIn,
  startSession,
  type Visit,
} from '../../core/identity/session-service.ts';

import { hostCookie } from './cookies.ts';

const YEAR_MS = 365 * 24 * 60 * 60_000;

export interface Visits {
  /** Returns the session of a request, if there is one. */
  visitOf(request: FastifyRequest): Promise<Visit | undefined>;
  secretOf(request: FastifyRequest): string | undefined;
  /** Returns the device tokens from earlier sign-ins. */
  devicesOf(request: FastifyRequest): string | undefined;
  keepDevices(reply: FastifyReply, devices: string): void;
  /**
   * Signs a user in, and ends the browser's previous session.
   *
   * @throws UNAUTHORIZED if the account is gone
   */
  begin(request: FastifyRequest, reply: FastifyReply, who: SignedIn): Promise<void>;
  /** Signs the browser out. */
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** Returns the signed-in user of a request, if there is one. */
export type VisitorOf = (request: FastifyRequest) => Promise<Actor | undefined>;

/** Creates visits that store their session and device tokens in cookies of the web host. */
export function createVisits(context: Context, webUrl: string): Visits {
  const session = hostCookie(webUrl, { name: 'briefs-session', maxAgeMs: SESSION_LIFETIME_MS });
  const device = hostCookie(webUrl, { name: 'briefs-device', maxAgeMs: YEAR_MS });
  return {
    async visitOf(request) {
      const token = session.read(request);
      const visit = token === undefined ? undefined : await findVisitor(context, token);
      request.accountId = visit?.actor.id;
      return visit;
    },
    secretOf: (request) => session.read(request),
    devicesOf: (request) => device.read(request),
    keepDevices: (reply, value) => device.set(reply, value),
    async begin(request, reply, who) {
      const token = await startSession(context, {
        accountId: who.accountId,
        userAgent: request.headers['user-agent'] ?? '',
        replaces: session.read(request),
        isNewBrowser: who.isNewBrowser,
      });
      session.set(reply, token);
      request.accountId = who.accountId;
      device.set(reply, who.device);
    },
    async end(request, reply) {
      const token = session.read(request);
      if (token !== undefined) await endSession(context, token);
      session.clear(reply);
    },
  };
}
