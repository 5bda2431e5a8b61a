import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import type { Context } from '../../core/context.ts';
import type { Unread } from '../http/unread.ts';
import type { Visits } from './browser-session.ts';
import type { Site } from './pages/assets.ts';
import type { Viewer } from './pages/layout.tsx';
import { renderSignedInPage } from './pages/signed-in-page.tsx';

/** The dependencies of the account routes. */
export interface AccountParts {
  context: Context;
  limiter: RateLimiter;
  accountQueue: FairQueue;
  unread: Unread;
  site: Site;
  visits: Visits;
  signUpsOpen: boolean;
  /** The display name of the upstream provider, if one is configured. */
  upstreamName: string | undefined;
}

/** The maximum size of a form, in bytes. Fits a percent-encoded password of 1,024 characters. */
export const FORM_LIMIT_BYTES = 32 * 1024;

/** Sends a page that only this visitor may see. */
export function sendOwnPage(reply: FastifyReply, html: string, status = 200): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-store' })
    .send(html);
}

/** Redirects after a form. */
export function seeOther(reply: FastifyReply, path: string): FastifyReply {
  return reply.header('cache-control', 'private, no-store').redirect(path, 303);
}

/** Redirects to where the visitor was going before sign-in. */
export function goOn(reply: FastifyReply, site: Site, next: string): FastifyReply {
  // Consent redirects to another host, which the form's `form-action` would block.
  if (next.startsWith('/authorize')) return sendOwnPage(reply, renderSignedInPage(site, next));
  return seeOther(reply, next);
}

export async function viewerOf(visits: Visits, request: FastifyRequest): Promise<Viewer> {
  const visit = await visits.visitOf(request);
  return visit ? { username: visit.actor.username } : 'signed out';
}
