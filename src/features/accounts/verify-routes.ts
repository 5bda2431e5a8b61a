import type { FastifyInstance } from 'fastify';
import type { Context } from '../../core/context.ts';
import { FORM_LIMIT_BYTES, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { findVerification, verifyEmail } from './verification-service.ts';
import { renderExpiredLinkPage, renderVerifiedPage, renderVerifyPage } from './verify-page.tsx';

/**
 * Adds `/verify/{token}`, the link that verifies an email address. It needs no sign-in: someone who
 * has the mail has the address. Opening it changes nothing, because link checkers open it too.
 */
export function addVerifyRoutes(
  app: FastifyInstance,
  { context, site }: { context: Context; site: Site },
): void {
  const path = '/verify/:token';
  const config = { secretPath: true };
  type Route = { Params: { token: string } };

  app.get<Route>(path, { config }, async ({ params: { token } }, reply) => {
    const found = await findVerification(context, token);
    if (!found) return sendOwnPage(reply, renderExpiredLinkPage(site), 404);
    return sendOwnPage(reply, renderVerifyPage(site, { ...found, token }));
  });

  app.post<Route>(
    path,
    { bodyLimit: FORM_LIMIT_BYTES, config },
    async ({ params: { token } }, reply) => {
      const found = await verifyEmail(context, token);
      if (!found) return sendOwnPage(reply, renderExpiredLinkPage(site), 404);
      return sendOwnPage(reply, renderVerifiedPage(site, found));
    },
  );
}
