import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import {
  type AccountParts,
  FORM_LIMIT_BYTES,
  sendOwnPage,
} from '../../surfaces/web/account-parts.ts';
import { faultsOf, isCorrectable, readForm } from '../../surfaces/web/form.ts';
import type { PasswordRow } from './password-store.ts';
import {
  renderExpiredResetPage,
  renderForgotPage,
  renderResetDonePage,
  renderResetPage,
  renderSentPage,
} from './reset-page.tsx';
import { findReset, requestReset, resetPassword } from './reset-service.ts';

/**
 * Adds `/sign-in/forgot`, which mails a link to a new password, and `/sign-in/reset/{token}`, where
 * that link leads. Opening it changes nothing, because link checkers open it too.
 */
export function addResetRoutes(app: FastifyInstance, parts: AccountParts): void {
  const { context, limiter, site } = parts;
  const { sendsMail } = context;
  const path = '/sign-in/reset/:token';
  const config = { secretPath: true };
  type Route = { Params: { token: string } };

  app.get('/sign-in/forgot', async (_request, reply) =>
    sendOwnPage(reply, renderForgotPage(site, { sendsMail })),
  );

  app.post('/sign-in/forgot', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const { name } = readForm(request.body, ['name']);
    if (!sendsMail) return sendOwnPage(reply, renderForgotPage(site, { sendsMail }), 422);
    if (name.trim() === '') {
      const fault = 'Enter your username or email address.';
      return sendOwnPage(reply, renderForgotPage(site, { sendsMail, fault }), 422);
    }
    try {
      await requestReset(context, limiter, { name, address: request.ip });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'RATE_LIMITED') throw error;
      const { message: fault } = error;
      return sendOwnPage(reply, renderForgotPage(site, { sendsMail, name, fault }), 429);
    }
    return sendOwnPage(reply, renderSentPage(site, { name: name.trim() }));
  });

  app.get<Route>(path, { config }, async ({ params: { token } }, reply) => {
    const found = await findReset(context, token);
    if (!found) return sendOwnPage(reply, renderExpiredResetPage(site), 404);
    return sendOwnPage(reply, renderResetPage(site, { token, ...shown(found) }));
  });

  app.post<Route>(path, { bodyLimit: FORM_LIMIT_BYTES, config }, async (request, reply) => {
    const { token } = request.params;
    const { password, disconnect } = readForm(request.body, ['password', 'disconnect']);
    try {
      const input = { token, password, disconnects: disconnect === 'yes' };
      const found = await resetPassword(context, limiter, input);
      if (!found) return sendOwnPage(reply, renderExpiredResetPage(site), 404);
      return sendOwnPage(reply, renderResetDonePage(site, shown(found)));
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      const found = await findReset(context, token);
      if (!found) return sendOwnPage(reply, renderExpiredResetPage(site), 404);
      const page = { token, ...shown(found), faults: faultsOf(error) };
      return sendOwnPage(reply, renderResetPage(site, page), 422);
    }
  });
}

function shown({ username, passwordHash }: PasswordRow): { username: string; isFirst: boolean } {
  return { username, isFirst: passwordHash === null };
}
