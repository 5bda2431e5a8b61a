import { list, remove } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
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
  const members = { tag: 'Organization members', scope: 'organizations' } as const;
  const invitations = { tag: 'Invitations to organizations', scope: 'organizations' } as const;

  list(api, {
    ...members,
    path: '/orgs/{org}/members',
    id: 'listMembers',
    summary: 'List members',
    description: 'The members of an organization, with their roles.',
    items: Member,
    rule: inOrganization('seeMembers'),
    find: ({ call, params, page }) => listOrganizationMembers(call, params.org, page),
    present: presentMember,
  });

  addOperation(api, {
    ...members,
    method: 'PUT',
    path: '/orgs/{org}/members/{username}',
    id: 'putMember',
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
    handler: async ({ call, params: { org, username }, body }) => {
      const role = body.role ?? 'member';
      const invitation = await inviteOrChangeMember(call, org, username, role);
      if (!invitation) return NO_CONTENT;
      const location = `/orgs/${org}/invitations/${invitation.id}`;
      return { status: 201, data: invitation, location };
    },
  });

  remove(api, {
    ...members,
    path: '/orgs/{org}/members/{username}',
    id: 'deleteMember',
    summary: 'Remove a member',
    description:
      'The user also stops being a collaborator on every document of the organization, even ' +
      'those they created, and their pending invitations to these documents end. So do the ' +
      'pending invitations and secret links that they made there. The documents ' +
      'stay; the organization’s admins manage those without an admin collaborator. To give ' +
      'someone access again, send a new invitation. The last admin cannot be removed.',
    errors: [422],
    rule: inOrganization('removeMember'),
    handler: ({ call, params }) => removeMember(call, params.org, params.username),
  });

  list(api, {
    ...invitations,
    path: '/orgs/{org}/invitations',
    id: 'listOrganizationInvitations',
    summary: 'List an organization’s invitations',
    description: 'Pending invitations. Expired ones have `expired: true`.',
    items: OrganizationInvitation,
    rule: inOrganization('invite'),
    find: ({ call, params, page }) => listInvitations(call, params, 'users', page),
    present: (invitation, { call }) => presentOrganizationInvitation(invitation, call.now()),
  });

  remove(api, {
    ...invitations,
    path: '/orgs/{org}/invitations/{inviteId}',
    id: 'deleteOrganizationInvitation',
    summary: 'Cancel an organization’s invitation',
    description: 'The invited user can no longer accept it.',
    rule: inOrganization('invite'),
    handler: ({ call, params: { org, inviteId } }) =>
      cancelInvitation(call, { org }, 'users', inviteId),
  });
}
