import { list, remove } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import {
  acceptInvitation,
  declineInvitation,
  invitationById,
  listOwnInvitations,
} from './answer-service.ts';
import { InviteeInvitation, presentInviteeInvitation } from './invitation-schema.ts';

/**
 * Adds the routes of the caller's invitations to briefs and pages (specification, part "Brief
 * invitations, invitee view").
 */
export function addOwnInvitationOperations(api: Api): void {
  const common = { tag: 'Invitations to documents', scope: 'sharing' } as const;
  const collection = '/user/brief_invitations';
  const item = `${collection}/{inviteId}` as const;

  list(api, {
    ...common,
    path: collection,
    id: 'listOwnInvitations',
    summary: 'List your invitations',
    description: 'Your pending invitations to briefs and pages. Expired ones are left out.',
    items: InviteeInvitation,
    find: ({ call, page }) => listOwnInvitations(call, 'documents', page),
    present: presentInviteeInvitation,
  });

  addOperation(api, {
    ...common,
    method: 'PATCH',
    path: item,
    id: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'You become a collaborator. 404 if the inviter can no longer share the document, 422 if the ' +
      'invitation has expired.',
    answers: { 204: null },
    errors: [404, 422],
    handler: async ({ call, params }) => {
      await acceptInvitation(call, invitationById(call.actor, params.inviteId));
      return NO_CONTENT;
    },
  });

  remove(api, {
    ...common,
    path: item,
    id: 'declineInvitation',
    summary: 'Decline an invitation',
    description: 'The invitation is deleted. An admin can invite you again.',
    errors: [404],
    handler: ({ call, params }) =>
      declineInvitation(call, invitationById(call.actor, params.inviteId), call.actor),
  });
}
