import { Type } from 'typebox';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { inOrganization } from '../../surfaces/rest/rules.ts';
import {
  CreatedOrganizationInvitation,
  OrganizationInvitation,
  presentOrganizationInvitation,
} from '../invitations/invitation-schema.ts';
import { cancelInvitation, listInvitations } from '../invitations/invitation-service.ts';
import { inviteOrChangeMember, listOrganizationMembers, removeMember } from './member-service.ts';
import { Member, MemberBody, presentMember } from './organization-schema.ts';

/**
 * Adds the routes of an organization's members and invitations (specification, parts "Organization
 * members" and "Organization invitations, admin view").
 */
export function addMemberOperations(api: Api): void {
  const tag = 'Organization members';

  addOperation(api, {
    method: 'GET',
    scope: 'organizations',
    path: '/orgs/{org}/members',
    id: 'listMembers',
    tag,
    summary: 'List members',
    description: 'The members of an organization, with their roles.',
    paginated: true,
    answers: { 200: Type.Array(Member) },
    rule: inOrganization('seeMembers'),
    handler: async ({ context, actor, params, page }) =>
      listAnswer(await listOrganizationMembers(context, actor, params.org, page), presentMember),
  });

  addOperation(api, {
    method: 'PUT',
    scope: 'organizations',
    path: '/orgs/{org}/members/{username}',
    id: 'putMember',
    tag,
    summary: 'Invite a member or change a role',
    description:
      'Returns 201 with the invitation’s id for a new invitation, or 204 if the user is already ' +
      'a member. The last admin can’t be demoted. An admin who becomes a member loses the pending ' +
      'invitations and secret links that they can no longer make.',
    body: MemberBody,
    answers: { 201: CreatedOrganizationInvitation, 204: null },
    sends: { 201: ['Location'] },
    errors: [422],
    rule: inOrganization('invite'),
    handler: async ({ context, actor, params: { org, username }, body }) => {
      const role = body.role ?? 'member';
      const invitation = await inviteOrChangeMember(context, actor, org, username, role);
      if (!invitation) return NO_CONTENT;
      const location = `/orgs/${org}/invitations/${invitation.id}`;
      return { status: 201, data: invitation, location };
    },
  });

  addOperation(api, {
    method: 'DELETE',
    scope: 'organizations',
    path: '/orgs/{org}/members/{username}',
    id: 'deleteMember',
    tag,
    summary: 'Remove a member',
    description:
      'The user also stops being a collaborator on every document of the organization, even ' +
      'those they created, and their pending invitations to these documents end. So do the ' +
      'pending invitations and secret links that they made there. The documents ' +
      'stay; the organization’s admins manage those without an admin collaborator. To give ' +
      'someone access again, send a new invitation. The last admin cannot be removed.',
    answers: { 204: null },
    errors: [422],
    rule: inOrganization('removeMember'),
    handler: async ({ context, actor, params }) => {
      await removeMember(context, actor, params.org, params.username);
      return NO_CONTENT;
    },
  });

  addOperation(api, {
    method: 'GET',
    scope: 'organizations',
    path: '/orgs/{org}/invitations',
    id: 'listOrganizationInvitations',
    tag: 'Invitations to organizations',
    summary: 'List an organization’s invitations',
    description: 'Pending invitations. Expired ones have `expired: true`.',
    paginated: true,
    answers: { 200: Type.Array(OrganizationInvitation) },
    rule: inOrganization('invite'),
    handler: async ({ context, actor, params, page }) => {
      const now = context.now();
      return listAnswer(
        await listInvitations(context, actor, params, 'users', page),
        (invitation) => presentOrganizationInvitation(invitation, now),
      );
    },
  });

  addOperation(api, {
    method: 'DELETE',
    scope: 'organizations',
    path: '/orgs/{org}/invitations/{inviteId}',
    id: 'deleteOrganizationInvitation',
    tag: 'Invitations to organizations',
    summary: 'Cancel an organization’s invitation',
    description: 'The invited user can no longer accept it.',
    answers: { 204: null },
    rule: inOrganization('invite'),
    handler: async ({ context, actor, params: { org, inviteId } }) => {
      await cancelInvitation(context, actor, { org }, 'users', inviteId);
      return NO_CONTENT;
    },
  });
}
