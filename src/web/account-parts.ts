import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { FairQueue } from '../limits/fair-queue.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Visits } from './browser-session.ts';
import type { Site } from './pages/assets.ts';
import type { Viewer } from './pages/layout.tsx';
import { renderSignedInPage } from './pages/signed-in-page.tsx';

/** What the routes of people's own accounts work with. */
export interface AccountParts {
  context: Context;
  limiter: RateLimiter;
  accountQueue: FairQueue;
  site: Site;
  visits: Visits;
  signUpsOpen: boolean;
  /** What people call the upstream provider, where there is one. */
  upstreamName: string | undefined;
}

/** Largest form: a password of 1,024 characters, percent-encoded, and little else. */
export const FORM_LIMIT_BYTES = 32 * 1024;

/** Sends a page that is one visitor's alone. */
export function sendOwnPage(reply: FastifyReply, html: string, status = 200): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-store' })
    .send(html);
}

/** Goes on to another page after a form. */
export function seeOther(reply: FastifyReply, path: string): FastifyReply {
  return reply.header('cache-control', 'private, no-store').redirect(path, 303);
}

/** Goes on to where the visitor was going before signing in. */
export function goOn(reply: FastifyReply, site: Site, next: string): FastifyReply {
  // From consent, the way leads to another host.
  if (next.startsWith('/authorize')) return sendOwnPage(reply, renderSignedInPage(site, next));
  return seeOther(reply, next);
}

/** Whom a page is shown to. */
export async function viewerOf(visits: Visits, request: FastifyRequest): Promise<Viewer> {
  const visit = await visits.visitOf(request);
  return visit ? { username: visit.actor.username } : 'signed out';
}
