import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
import {
  confirmPath,
  confirmSignUp,
  readPendingSignUp,
  requestSignUp,
} from './pending-sign-up-service.ts';
import { signUp } from './registration-service.ts';
import { findInvitationToSignUp, signUpPath } from './sign-up-invitation-service.ts';
import {
  renderConfirmPage,
  renderInvitationGonePage,
  renderLinkSentPage,
  renderSignUpClosedPage,
  renderSignUpPage,
} from './sign-up-page.tsx';

const FIELDS = ['username', 'email', 'password', 'next'] as const;
const SECRET = { config: { secretPath: true } };

type TokenRoute = { Params: { token: string } };

/**
 * Adds `/sign-up`. If sign-ups are closed, it says so, except to people who come from a mailed
 * invitation: its link proves that they were invited, and that the address is theirs. Where only some
 * domains can sign up, it mails a link, `/sign-up/confirm/{token}`, that creates the account. An
 * administrator's invitation, `/sign-up/with/{token}`, always works.
 */
export function addSignUpRoutes(app: FastifyInstance, parts: AccountParts): void {
  const { context, limiter, site, visits, signUpsOpen } = parts;
  const { mode } = context.signUps;

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
    if (!signUpsOpen && !invited) {
      return sendOwnPage(reply, renderSignUpClosedPage(site, viewer, mode === 'invited'));
    }
    const values = { username: '', email: invited ?? '' };
    return sendOwnPage(reply, renderSignUpPage(site, { viewer, next, values, faults: {} }));
  });

  app.post('/sign-up', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const form = readForm(request.body, FIELDS);
    const next = nextPath(form.next, site.webUrl) ?? '/';
    const invited = await invitedAddress(next);
    if (!signUpsOpen && !invited) {
      const viewer = await viewerOf(visits, request);
      return sendOwnPage(reply, renderSignUpClosedPage(site, viewer, mode === 'invited'), 403);
    }
    return orShowAgain(request, reply, { ...form, next }, async (budgets) => {
      if (mode === 'domains' && !invited) {
        await requestSignUp(context, { limiter, budgets }, form);
        return sendOwnPage(reply, renderLinkSentPage(site, form.email.trim()));
      }
      const invitationToken = tokenOfInvitedPath(next);
      const devices = visits.devicesOf(request);
      // Where only some domains can sign up, others can with the address that was invited.
      const input = { ...form, devices, invitationToken, onlyInvited: mode !== 'open' };
      await visits.begin(request, reply, await signUp(context, { limiter, budgets }, input));
      return goOn(reply, site, next);
    });
  });

  app.get<TokenRoute>('/sign-up/with/:token', SECRET, async (request, reply) => {
    const { token } = request.params;
    const viewer = await viewerOf(visits, request);
    const invitation = await findInvitationToSignUp(context, token);
    if (!invitation) return sendOwnPage(reply, renderInvitationGonePage(site, viewer), 404);
    const values = { username: '', email: invitation.email };
    const page = { viewer, next: '/', values, faults: {}, action: signUpPath(token) };
    return sendOwnPage(reply, renderSignUpPage(site, page));
  });

  app.post<TokenRoute>(
    '/sign-up/with/:token',
    { bodyLimit: FORM_LIMIT_BYTES, ...SECRET },
    async (request, reply) => {
      const { token } = request.params;
      const viewer = await viewerOf(visits, request);
      if (!(await findInvitationToSignUp(context, token))) {
        return sendOwnPage(reply, renderInvitationGonePage(site, viewer), 404);
      }
      const form = readForm(request.body, FIELDS);
      const shown = { ...form, next: '/', action: signUpPath(token) };
      return orShowAgain(request, reply, shown, async (budgets) => {
        const devices = visits.devicesOf(request);
        const input = { ...form, devices, signUpToken: token, onlyInvited: true };
        await visits.begin(request, reply, await signUp(context, { limiter, budgets }, input));
        return goOn(reply, site, '/');
      });
    },
  );

  app.get<TokenRoute>('/sign-up/confirm/:token', SECRET, async (request, reply) => {
    const { token } = request.params;
    const pending = await readPendingSignUp(context, token);
    const page = pending && { username: pending.username, action: confirmPath(token), faults: {} };
    return sendOwnPage(reply, renderConfirmPage(site, page), page ? 200 : 404);
  });

  app.post<TokenRoute>(
    '/sign-up/confirm/:token',
    { bodyLimit: FORM_LIMIT_BYTES, ...SECRET },
    async (request, reply) => {
      const { token } = request.params;
      const { password } = readForm(request.body, ['password']);
      const limits = { limiter, budgets: addressBudgets('signIn', request.ip) };
      try {
        const input = { token, password, devices: visits.devicesOf(request) };
        await visits.begin(request, reply, await confirmSignUp(context, limits, input));
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        const faults = faultsOf(error);
        const pending = faults.password && (await readPendingSignUp(context, token));
        const page = pending && { username: pending.username, action: confirmPath(token), faults };
        return sendOwnPage(reply, renderConfirmPage(site, page || undefined, error.sentence), 422);
      }
      return goOn(reply, site, '/');
    },
  );

  /** Signs up, or shows the form again with what is wrong. */
  async function orShowAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    form: { username: string; email: string; next: string; action?: string },
    work: (budgets: ReturnType<typeof addressBudgets>) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await work(addressBudgets('signUp', request.ip));
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      const viewer = await viewerOf(visits, request);
      const { username, email, next, action } = form;
      const page = { viewer, next, values: { username, email }, faults: faultsOf(error), action };
      return sendOwnPage(reply, renderSignUpPage(site, page), 422);
    }
  }
}
