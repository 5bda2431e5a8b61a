import { Type } from 'typebox';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
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
  const tag = 'Invitations to documents';
  const collection = '/user/brief_invitations';
  const item = `${collection}/{inviteId}` as const;

  addOperation(api, {
    method: 'GET',
    scope: 'sharing',
    path: collection,
    id: 'listOwnInvitations',
    tag,
    summary: 'List your invitations',
    description: 'Your pending invitations to briefs and pages. Expired ones are left out.',
    paginated: true,
    answers: { 200: Type.Array(InviteeInvitation) },
    handler: async ({ context, actor, page }) =>
      listAnswer(
        await listOwnInvitations(context, actor, 'documents', page),
        presentInviteeInvitation,
      ),
  });

  addOperation(api, {
    method: 'PATCH',
    scope: 'sharing',
    path: item,
    id: 'acceptInvitation',
    tag,
    summary: 'Accept an invitation',
    description:
      'You become a collaborator. 404 if the inviter can no longer share the document, 422 if the ' +
      'invitation has expired.',
    answers: { 204: null },
    errors: [404, 422],
    handler: async ({ context, actor, params }) => {
      await acceptInvitation(context, actor, invitationById(actor, params.inviteId));
      return NO_CONTENT;
    },
  });

  addOperation(api, {
    method: 'DELETE',
    scope: 'sharing',
    path: item,
    id: 'declineInvitation',
    tag,
    summary: 'Decline an invitation',
    description: 'The invitation is deleted. An admin can invite you again.',
    answers: { 204: null },
    errors: [404],
    handler: async ({ context, actor, params }) => {
      await declineInvitation(context, invitationById(actor, params.inviteId), actor);
      return NO_CONTENT;
    },
  });
}
