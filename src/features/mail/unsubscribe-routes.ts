import type { FastifyInstance } from 'fastify';
import type { Context } from '../../core/context.ts';
import { FORM_LIMIT_BYTES, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import { readForm } from '../../surfaces/web/form.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { getsInvitations, setGetsInvitations } from './address-service.ts';
import { findUnsubscription, unsubscribe } from './preference-service.ts';
import {
  renderAddressPage,
  renderBrokenLinkPage,
  renderUnsubscribedPage,
  renderUnsubscribePage,
} from './unsubscribe-page.tsx';

/**
 * Adds `/unsubscribe/{token}`, the link in notification mails. Mail programs post to it without
 * cookies (RFC 8058), so forms from other sites are accepted: the token authorizes them. Opening
 * the link changes nothing, because link checkers open it too.
 */
export function addUnsubscribeRoutes(
  app: FastifyInstance,
  { context, site }: { context: Context; site: Site },
): void {
  const path = '/unsubscribe/:token';
  const config = { secretPath: true };
  type Route = { Params: { token: string } };

  app.get<Route>(path, { config }, async ({ params: { token } }, reply) => {
    const found = await findUnsubscription(context, token);
    if (!found) return sendOwnPage(reply, renderBrokenLinkPage(site), 404);
    return sendOwnPage(reply, renderUnsubscribePage(site, { ...found, token }));
  });

  app.post<Route>(
    path,
    { bodyLimit: FORM_LIMIT_BYTES, config },
    async ({ params: { token } }, reply) => {
      const found = await unsubscribe(context, token);
      if (!found) return sendOwnPage(reply, renderBrokenLinkPage(site), 404);
      return sendOwnPage(reply, renderUnsubscribedPage(site, found));
    },
  );

  // Mailed invitations have this link, because their readers may have no account.
  const ofAddress = '/unsubscribe/address/:token';
  app.get<Route>(ofAddress, { config }, async ({ params: { token } }, reply) => {
    const getsThem = await getsInvitations(context, token);
    if (getsThem === undefined) return sendOwnPage(reply, renderBrokenLinkPage(site), 404);
    return sendOwnPage(
      reply,
      renderAddressPage(site, { token, state: getsThem ? 'asked' : 'stopped' }),
    );
  });
  app.post<Route>(
    ofAddress,
    { bodyLimit: FORM_LIMIT_BYTES, config },
    async ({ params: { token }, body }, reply) => {
      // Anything but `resume` unsubscribes: mail programs send only `List-Unsubscribe=One-Click`.
      const getsThem = readForm(body, ['act']).act === 'resume';
      const isDone = await setGetsInvitations(context, token, getsThem);
      if (!isDone) return sendOwnPage(reply, renderBrokenLinkPage(site), 404);
      return sendOwnPage(
        reply,
        renderAddressPage(site, { token, state: getsThem ? 'resumed' : 'stopped' }),
      );
    },
  );
}
