import type { FastifyReply } from 'fastify';
import { isExpired } from '../../core/owner/invitation-state.ts';
import { seeOther, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import { documentPath, organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { isRefusal } from '../../surfaces/web/form.ts';
import { signInPath } from '../../surfaces/web/next-path.ts';
import { LEVEL_ABILITIES } from '../../surfaces/web/pages/access-labels.ts';
import { INVITED_SEGMENT, invitedPath } from '../invitations/email-invitation.ts';
import type { EmailInvitationRow } from '../invitations/email-invitation-store.ts';
import {
  acceptMailedInvitation,
  declineMailedInvitation,
  requireMailedInvitation,
} from './answer-email-invitation-service.ts';
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
  const { context, site, get, post, show, goOn, signUpsOpen } = parts;
  const path = `/${INVITED_SEGMENT}/:token`;
  const tokenOf = (request: { params: unknown }) =>
    (request.params as InvitedRoute['Params']).token;
  const secret = { secretPath: true };
  const describe = (invitation: EmailInvitationRow, token: string) => ({
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
        const invitation = await requireMailedInvitation(context, token);
        const { username } = asked.actor;
        return show(asked, mailedInvitationPage({ ...describe(invitation, token), username }));
      }),
    async (request, reply) =>
      orGone(reply.headers(HEADERS), async () => {
        const token = tokenOf(request);
        const invitation = await requireMailedInvitation(context, token);
        const page = { ...describe(invitation, token), signUpsOpen };
        return sendOwnPage(reply, renderInvitedPage(site, page));
      }),
    secret,
  );

  post<InvitedRoute>(
    `${path}/accept`,
    async (asked) =>
      orGone(asked.reply.headers(HEADERS), async () => {
        const accepted = await acceptMailedInvitation(context, asked.actor, tokenOf(asked.request));
        return goOn(asked, placeOf(accepted), { message: `Accepted. ${abilityOf(accepted)}` });
      }),
    async (request, reply) => seeOther(reply, signInPath(invitedPath(tokenOf(request)))),
    secret,
  );

  const decline = async (request: { params: unknown }, reply: FastifyReply) =>
    orGone(reply.headers(HEADERS), async () => {
      await declineMailedInvitation(context, tokenOf(request));
      return sendOwnPage(reply, renderDeclinedPage(site));
    });
  post<InvitedRoute>(
    `${path}/decline`,
    ({ request, reply }) => decline(request, reply),
    decline,
    secret,
  );
}

function placeOf(invitation: EmailInvitationRow): string {
  const { ownerNamespace } = invitation;
  if (invitation.documentId === null) return organizationPath(ownerNamespace);
  const { kind, documentName: name } = invitation;
  return documentPath('read', { kind, ownerNamespace, name });
}

function abilityOf(invitation: EmailInvitationRow): string {
  if (invitation.documentId !== null) return `You can ${LEVEL_ABILITIES[invitation.permission]}.`;
  return `You’re now ${invitation.role === 'admin' ? 'an admin' : 'a member'} of ${invitation.organizationName}.`;
}
