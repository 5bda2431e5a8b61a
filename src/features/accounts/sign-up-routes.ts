import type { FastifyInstance } from 'fastify';
import { addressBudgets } from '../../core/identity/attempts.ts';
import {
  type AccountParts,
  FORM_LIMIT_BYTES,
  goOn,
  seeOther,
  sendOwnPage,
  viewerOf,
} from '../../surfaces/web/account-parts.ts';
import { faultsOf, isCorrectable, readForm } from '../../surfaces/web/form.ts';
import { nextPath, signInPath } from '../../surfaces/web/next-path.ts';
import { findInvitedAddress } from '../invitations/answer-service.ts';
import { tokenOfInvitedPath } from '../invitations/invitation-link.ts';
import { signUp } from './registration-service.ts';
import { renderSignUpClosedPage, renderSignUpPage } from './sign-up-page.tsx';

/**
 * Adds `/sign-up`. If sign-ups are closed, it says so, except to people who come from a mailed
 * invitation: its link proves that they were invited, and that the address is theirs.
 */
export function addSignUpRoutes(app: FastifyInstance, parts: AccountParts): void {
  const { context, limiter, site, visits, signUpsOpen } = parts;

  if (context.signIn.passwords === 'off') {
    // Whoever signs in at the provider for the first time gets an account.
    app.get<{ Querystring: { next?: unknown } }>('/sign-up', async (request, reply) =>
      seeOther(reply, signInPath(nextPath(request.query.next, site.webUrl) ?? '/')),
    );
    return;
  }

  /** Returns the email address of the mailed invitation that the visitor comes from, if any. */
  async function invitedAddress(next: string): Promise<string | undefined> {
    const token = tokenOfInvitedPath(next);
    return token && findInvitedAddress(context, context.sql.read, token);
  }

  app.get<{ Querystring: { next?: unknown } }>('/sign-up', async (request, reply) => {
    const viewer = await viewerOf(visits, request);
    const next = nextPath(request.query.next, site.webUrl) ?? '/';
    const invited = await invitedAddress(next);
    if (!signUpsOpen && !invited) return sendOwnPage(reply, renderSignUpClosedPage(site, viewer));
    const values = { username: '', email: invited ?? '' };
    return sendOwnPage(reply, renderSignUpPage(site, { viewer, next, values, faults: {} }));
  });

  app.post('/sign-up', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const form = readForm(request.body, ['username', 'email', 'password', 'next']);
    const next = nextPath(form.next, site.webUrl) ?? '/';
    if (!signUpsOpen && !(await invitedAddress(next))) {
      const viewer = await viewerOf(visits, request);
      return sendOwnPage(reply, renderSignUpClosedPage(site, viewer), 403);
    }
    const budgets = addressBudgets('signUp', request.ip);
    try {
      const invitationToken = tokenOfInvitedPath(next);
      const devices = visits.devicesOf(request);
      const input = { ...form, devices, invitationToken, onlyInvited: !signUpsOpen };
      const who = await signUp(context, { limiter, budgets }, input);
      await visits.begin(request, reply, who);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      const viewer = await viewerOf(visits, request);
      const page = { viewer, next, values: form, faults: faultsOf(error) };
      return sendOwnPage(reply, renderSignUpPage(site, page), 422);
    }
    return goOn(reply, site, next);
  });
}
