import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import {
  type AccountParts,
  FORM_LIMIT_BYTES,
  goOn,
  seeOther,
  sendOwnPage,
  viewerOf,
} from '../../surfaces/web/account-parts.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { leadingTo, nextPath } from '../../surfaces/web/next-path.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { renderLeavingPage } from '../../surfaces/web/pages/signed-in-page.tsx';
import { canHavePasskeys } from '../../surfaces/web/passkey-host.ts';
import { tokenOfInvitedPath } from '../invitations/invitation-link.ts';
import { renderSignInPage } from './sign-in-page.tsx';
import { signIn } from './sign-in-service.ts';

/** Shows the sign-in page with what was wrong. */
export type ShowSignIn = (
  request: FastifyRequest,
  reply: FastifyReply,
  next: string,
  fault: string,
) => Promise<FastifyReply>;

/**
 * Adds `/sign-in` and `/sign-out`.
 *
 * @returns what shows the sign-in page again after another way to sign in was refused
 * @param findApplication returns the name of the application whose request has this id, if there is one
 */
export function addSignInRoutes(
  app: FastifyInstance,
  parts: AccountParts,
  findApplication: (requestId: string) => Promise<string | undefined>,
): ShowSignIn {
  const { context, limiter, site, visits, upstreamName } = parts;
  const hasPasswords = context.signIn.passwords === 'on';

  /** Returns the name of the app that the visitor is about to connect. */
  async function applicationOf(next: string): Promise<string | undefined> {
    const [, id] = /^\/authorize\/([\w-]+)$/.exec(next) ?? [];
    return id === undefined ? undefined : findApplication(id);
  }

  /** Someone who comes from a mailed invitation can sign up in any case. */
  const canSignUp = (next: string) => parts.signUpsOpen || tokenOfInvitedPath(next) !== undefined;

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    next: string,
    refused?: { name?: string; fault: string },
  ): Promise<FastifyReply> {
    const viewer = await viewerOf(visits, request);
    const page = {
      viewer,
      next,
      application: await applicationOf(next),
      upstreamName,
      hasPasskeys: canHavePasskeys(site.webUrl),
      hasPasswords,
      signUpsOpen: hasPasswords && canSignUp(next),
      ...refused,
    };
    return sendOwnPage(reply, renderSignInPage(site, page), refused ? 422 : 200);
  }

  app.get<{ Querystring: { next?: unknown } }>('/sign-in', async (request, reply) => {
    const next = nextPath(request.query.next, site.webUrl) ?? '/';
    const isLacking =
      context.signIn.secondFactor === 'required' &&
      !(await visits.visitOf(request)) &&
      (await visits.visitToSetUp(request));
    if (isLacking) return seeOther(reply, leadingTo(settingsPath('security'), next));
    return show(request, reply, next);
  });

  function addPasswordRoute(): void {
    app.post('/sign-in', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
      const form = readForm(request.body, ['name', 'password', 'next']);
      const next = nextPath(form.next, site.webUrl) ?? '/';
      try {
        const attempt = { ...form, address: request.ip, devices: visits.devicesOf(request) };
        const who = await signIn(context, limiter, attempt);
        return goOn(reply, site, await visits.beginWithOneFactor(request, reply, who, next));
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'UNAUTHORIZED') throw error;
        // Not 401, which would require a WWW-Authenticate header.
        return show(request, reply, next, { name: form.name, fault: error.message });
      }
    });
  }

  if (hasPasswords) addPasswordRoute();

  app.post('/sign-out', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const visit = await visits.visitToSetUp(request);
    await visits.end(request, reply);
    const there = visit?.isUpstream && (await context.signOutAtProvider?.(visit.actor.id));
    if (!there) return seeOther(reply, '/');
    return sendOwnPage(reply, renderLeavingPage(site, there.url, there.name));
  });

  return (request, reply, next, fault) => show(request, reply, next, { fault });
}
