import { documentPath, organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import type { Flash } from '../../surfaces/web/flash.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { LEVEL_ABILITIES } from '../../surfaces/web/pages/access-labels.ts';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { sayAnswered } from '../invitations/invitation-faults.ts';
import {
  acceptMembership,
  declineMembership,
  listOwnExpiredOrganizationInvitations,
  listOwnOrganizationInvitations,
} from '../organizations/membership-service.ts';
import {
  acceptInvitation,
  declineInvitation,
  listOwnExpiredInvitations,
  listOwnInvitations,
} from '../sharing/document-invitation-service.ts';
import { invitationsPage } from './invitations-page.tsx';

const INBOX = '/invitations';
const NEWEST = { number: 1, size: LIST_SIZE };

/** Adds `/invitations`, which lists the user's invitations, and the forms that answer them. */
export function addInvitationRoutes({ context, get, post, act, goOn, show }: AppParts): void {
  get(INBOX, async (asked) => {
    const { actor } = asked;
    const [documents, organizations, expiredDocuments, expiredOrganizations] = await Promise.all([
      listOwnInvitations(context, actor, NEWEST),
      listOwnOrganizationInvitations(context, actor, NEWEST),
      listOwnExpiredInvitations(context, actor, NEWEST),
      listOwnExpiredOrganizationInvitations(context, actor, NEWEST),
    ]);
    const page = invitationsPage({
      documents: documents.items,
      organizations: organizations.items,
      expiredDocuments: expiredDocuments.items,
      expiredOrganizations: expiredOrganizations.items,
      total: documents.total + organizations.total,
    });
    return show(asked, page);
  });

  post(`${INBOX}/documents/accept`, (asked) =>
    accept(asked, async () => {
      const { invitation } = readForm(asked.request.body, ['invitation']);
      const accepted = await acceptInvitation(context, asked.actor, invitation);
      const { kind, ownerNamespace, documentName: name, permission } = accepted;
      return {
        path: documentPath('read', { kind, ownerNamespace, name }),
        message: `Accepted. You can ${LEVEL_ABILITIES[permission]}.`,
      };
    }),
  );

  post(`${INBOX}/documents/decline`, (asked) =>
    act(asked, INBOX, async () => {
      const { invitation } = readForm(asked.request.body, ['invitation']);
      const declined = await declineInvitation(context, asked.actor, invitation).catch(sayAnswered);
      const { ownerNamespace, documentName } = declined;
      return { message: `Declined: ${ownerNamespace} / ${documentName}.` };
    }),
  );

  post(`${INBOX}/organizations/accept`, (asked) =>
    accept(asked, async () => {
      const { organization } = readForm(asked.request.body, ['organization']);
      const accepted = await acceptMembership(context, asked.actor, organization);
      const { organizationNamespace, organizationName, role } = accepted;
      return {
        path: organizationPath(organizationNamespace),
        message: `Accepted. You’re now ${role === 'admin' ? 'an admin' : 'a member'} of ${organizationName}.`,
      };
    }),
  );

  post(`${INBOX}/organizations/decline`, (asked) =>
    act(asked, INBOX, async () => {
      const { organization } = readForm(asked.request.body, ['organization']);
      await declineMembership(context, asked.actor, organization).catch(sayAnswered);
      return { message: `Declined: ${organization}.` };
    }),
  );

  /** Redirects to what was accepted. If accepting failed, redirects to the list, which says why. */
  async function accept(asked: AppRequest, work: () => Promise<Flash & { path: string }>) {
    let accepted: Flash & { path: string };
    try {
      accepted = await work();
    } catch (error) {
      return act(asked, INBOX, async () => sayAnswered(error));
    }
    const { path, message } = accepted;
    return goOn(asked, path, { message });
  }
}
