import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import {
  type AccountParts,
  FORM_LIMIT_BYTES,
  goOn,
  seeOther,
  sendOwnPage,
  viewerOf,
} from '../../surfaces/web/account-parts.ts';
import { orderCopies } from '../../surfaces/web/copies.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { nextPath } from '../../surfaces/web/next-path.ts';
import { tokenOfInvitedPath } from '../invitations/invitation-link.ts';
import { renderSignInPage } from './sign-in-page.tsx';
import { signIn } from './sign-in-service.ts';

/**
 * Adds `/sign-in` and `/sign-out`.
 *
 * @param findApplication returns the name of the application whose request has this id, if there is one
 */
export function addSignInRoutes(
  app: FastifyInstance,
  parts: AccountParts,
  findApplication: (requestId: string) => Promise<string | undefined>,
): void {
  const { context, limiter, site, visits, upstreamName } = parts;

  /** Returns the name of the app that the visitor is about to connect. */
  async function applicationOf(next: string): Promise<string | undefined> {
    const [, id] = /^\/authorize\/([\w-]+)$/.exec(next) ?? [];
    return id === undefined ? undefined : findApplication(id);
  }

  /** Someone who comes from a mailed invitation can sign up in any case. */
  const canSignUp = (next: string) => parts.signUpsOpen || tokenOfInvitedPath(next) !== undefined;

  app.get<{ Querystring: { next?: unknown } }>('/sign-in', async (request, reply) => {
    const next = nextPath(request.query.next, site.webUrl) ?? '/';
    const viewer = await viewerOf(visits, request);
    const application = await applicationOf(next);
    if (viewer === 'signed out') orderCopies(reply, 'clear');
    const signUpsOpen = canSignUp(next);
    const page = { viewer, next, application, upstreamName, signUpsOpen };
    return sendOwnPage(reply, renderSignInPage(site, page));
  });

  app.post('/sign-in', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const form = readForm(request.body, ['name', 'password', 'next']);
    const next = nextPath(form.next, site.webUrl) ?? '/';
    try {
      const attempt = { ...form, address: request.ip, devices: visits.devicesOf(request) };
      await visits.begin(request, reply, await signIn(context, limiter, attempt));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'UNAUTHORIZED') throw error;
      // Not 401, which would require a WWW-Authenticate header.
      const { message: fault } = error;
      const viewer = await viewerOf(visits, request);
      const application = await applicationOf(next);
      const signUpsOpen = canSignUp(next);
      const page = { viewer, next, application, name: form.name, fault, upstreamName, signUpsOpen };
      return sendOwnPage(reply, renderSignInPage(site, page), 422);
    }
    return goOn(reply, site, next);
  });

  app.post('/sign-out', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    await visits.end(request, reply);
    return seeOther(reply, '/');
  });
}
