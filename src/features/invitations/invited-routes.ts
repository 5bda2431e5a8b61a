import type { FastifyReply } from 'fastify';
import { seeOther, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { isRefusal } from '../../surfaces/web/form.ts';
import { signInPath } from '../../surfaces/web/next-path.ts';
import {
  acceptInvitation,
  declineInvitation,
  invitationOfLink,
  requireInvitation,
} from './answer-service.ts';
import { INVITED_SEGMENT, invitedPath } from './invitation-link.ts';
import { whatWasAccepted } from './invitation-routes.ts';
import { isExpired } from './invitation-state.ts';
import type { Invitation } from './invitation-store.ts';
import { mailedInvitationPage } from './invitations-page.tsx';
import { renderDeclinedPage, renderInvitedPage, renderNotInvitedPage } from './invited-page.tsx';

interface InvitedRoute {
  Params: { token: string };
}

/** The address is the only secret, so search engines, caches and other sites must not learn it. */
const HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'cache-control': 'private, no-store',
};

/**
 * Adds `/invited/{token}`, the link in mailed invitations (decision 014). Opening it changes
 * nothing, because programs that check links open it too.
 */
export function addInvitedRoutes(parts: AppParts): void {
  const { context, site, get, post, show, goOn } = parts;
  const path = `/${INVITED_SEGMENT}/:token`;
  const tokenOf = (request: { params: unknown }) =>
    (request.params as InvitedRoute['Params']).token;
  const secret = { secretPath: true };
  const describe = (invitation: Invitation, token: string) => ({
    invitation,
    isExpired: isExpired(invitation, context.now()),
    path: invitedPath(token),
  });

  /** Runs `work`. If the invitation no longer exists, shows a page that says so. */
  async function orGone(
    reply: FastifyReply,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error) || error.code !== 'NOT_FOUND') throw error;
      return sendOwnPage(reply, renderNotInvitedPage(site, error.sentence), 404);
    }
  }

  get<InvitedRoute>(
    path,
    async (asked) =>
      orGone(asked.reply.headers(HEADERS), async () => {
        const token = tokenOf(asked.request);
        const invitation = await requireInvitation(context.sql.read, invitationOfLink(token));
        const { username } = asked.call.actor;
        return show(asked, mailedInvitationPage({ ...describe(invitation, token), username }));
      }),
    async (request, reply) =>
      orGone(reply.headers(HEADERS), async () => {
        const token = tokenOf(request);
        const invitation = await requireInvitation(context.sql.read, invitationOfLink(token));
        // Only a mailed link proves an address, which opens closed sign-ups.
        const canSignUp = parts.signUpsOpen || invitation.sealedToken === null;
        const page = { ...describe(invitation, token), canSignUp };
        return sendOwnPage(reply, renderInvitedPage(site, page));
      }),
    secret,
  );

  post<InvitedRoute>(
    `${path}/accept`,
    async (asked) =>
      orGone(asked.reply.headers(HEADERS), async () => {
        const link = invitationOfLink(tokenOf(asked.request));
        const accepted = await acceptInvitation(asked.call, link);
        return goOn(asked, ...whatWasAccepted(accepted));
      }),
    async (request, reply) => seeOther(reply, signInPath(invitedPath(tokenOf(request)))),
    secret,
  );

  const decline = async (request: { params: unknown }, reply: FastifyReply) =>
    orGone(reply.headers(HEADERS), async () => {
      await declineInvitation(context, invitationOfLink(tokenOf(request)));
      return sendOwnPage(reply, renderDeclinedPage(site));
    });
  post<InvitedRoute>(
    `${path}/decline`,
    ({ request, reply }) => decline(request, reply),
    decline,
    secret,
  );
}
