import type { Call } from '../../core/context.ts';
import { type DocumentRef, normaliseRef } from '../../core/document/document-ref.ts';
import { documentPath, organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import type { Flash } from '../../surfaces/web/flash.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { INVITED_AS, LEVEL_ABILITIES } from '../../surfaces/web/pages/access-labels.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import {
  acceptInvitation,
  declineInvitation,
  invitationById,
  invitationTo,
  listOwnExpiredInvitations,
  listOwnInvitations,
} from './answer-service.ts';
import { sayAnswered } from './invitation-faults.ts';
import { findInvitationTo, type Invitation } from './invitation-store.ts';
import { invitationsPage, invitedPage } from './invitations-page.tsx';

const INBOX = '/invitations';
const NEWEST = { number: 1, size: LIST_SIZE };

/** Adds `/invitations`, which lists the user's invitations, and the forms that answer them. */
export function addInvitationRoutes({ context, get, post, act, goOn, show }: AppParts): void {
  get(INBOX, async (asked) => {
    const { call } = asked;
    const [documents, organizations, expiredDocuments, expiredOrganizations] = await Promise.all([
      listOwnInvitations(call, 'documents', NEWEST),
      listOwnInvitations(call, 'organizations', NEWEST),
      listOwnExpiredInvitations(call, 'documents', NEWEST),
      listOwnExpiredInvitations(call, 'organizations', NEWEST),
    ]);
    const page = invitationsPage({
      pending: [...organizations.items, ...documents.items],
      expired: [...expiredOrganizations.items, ...expiredDocuments.items],
      total: documents.total + organizations.total,
    });
    return show(asked, page);
  });

  post(`${INBOX}/documents/accept`, (asked) =>
    accept(asked, async () => {
      const { invitation } = readForm(asked.request.body, ['invitation']);
      return acceptInvitation(asked.call, invitationById(asked.call.actor, invitation));
    }),
  );

  post(`${INBOX}/documents/decline`, (asked) =>
    act(asked, INBOX, async () => {
      const { invitation } = readForm(asked.request.body, ['invitation']);
      const declined = await declineInvitation(
        context,
        invitationById(asked.call.actor, invitation),
        asked.call.actor,
      ).catch(sayAnswered);
      const { ownerNamespace, documentName } = declined;
      return { message: `Declined: ${ownerNamespace} / ${documentName}.` };
    }),
  );

  post(`${INBOX}/organizations/accept`, (asked) =>
    accept(asked, async () => {
      const { organization } = readForm(asked.request.body, ['organization']);
      return acceptInvitation(asked.call, invitationTo(asked.call.actor, organization));
    }),
  );

  post(`${INBOX}/organizations/decline`, (asked) =>
    act(asked, INBOX, async () => {
      const { organization } = readForm(asked.request.body, ['organization']);
      const own = invitationTo(asked.call.actor, organization);
      await declineInvitation(context, own, asked.call.actor).catch(sayAnswered);
      return { message: `Declined: ${organization}.` };
    }),
  );

  /** Redirects to what was accepted. If accepting failed, redirects to the list, which says why. */
  async function accept(asked: AppRequest, work: () => Promise<Invitation>) {
    let accepted: Invitation;
    try {
      accepted = await work();
    } catch (error) {
      return act(asked, INBOX, async () => sayAnswered(error));
    }
    return goOn(asked, ...whatWasAccepted(accepted));
  }
}

/** Returns the page of a user's invitation to a document; `undefined` if there is none. */
export async function findInvitedPage(
  { sql, now, actor }: Call,
  ref: DocumentRef,
): Promise<AppPage | undefined> {
  const invitation = await findInvitationTo(sql.read, normaliseRef(ref), actor.id);
  return invitation && invitedPage(invitation, now());
}

/** Returns the path of what an accepted invitation was to, and what to say there. */
export function whatWasAccepted(invitation: Invitation): [path: string, flash: Flash] {
  const { ownerNamespace } = invitation;
  if (invitation.documentId === null) {
    const { organizationName, level } = invitation;
    return [
      organizationPath(ownerNamespace),
      { message: `Accepted. You’re now ${INVITED_AS[level]} of ${organizationName}.` },
    ];
  }
  const { kind, documentName: name, level } = invitation;
  return [
    documentPath('read', { kind, ownerNamespace, name }),
    { message: `Accepted. You can ${LEVEL_ABILITIES[level]}.` },
  ];
}
