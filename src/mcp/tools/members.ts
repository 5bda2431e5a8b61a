import { Type } from 'typebox';
import {
  cancelOrganizationInvitation,
  inviteOrChangeMember,
  listOrganizationInvitations,
  listOrganizationMembers,
  removeMember as remove,
} from '../../organization/member-service.ts';
import {
  Member,
  OrganizationInvitation,
  presentOrganizationInvitation,
} from '../../organization/organization-schema.ts';
import { ROLES } from '../../organization/roles.ts';
import { PageQuery, pageRequest } from '../../pagination/result-page-schema.ts';
import { OneOf } from '../../schema/fields.ts';
import { PageResult, pageSummary, presentPage } from '../paging.ts';
import { InvitationArgument, personOrInvitation, UsernameArgument } from '../person.ts';
import { defineTool } from '../tool.ts';

const organization = Type.String({ description: 'The organization’s namespace.' });

export const listMembers = defineTool({
  name: 'list_members',
  title: 'List an organization’s members',
  description: 'Lists the members of an organization and their roles. For members.',
  scope: 'organizations',
  effect: { reads: true },
  input: Type.Object({ organization, ...PageQuery }, { additionalProperties: false }),
  output: PageResult(Member),
  handler: async ({ context, actor, input }) => {
    const page = pageRequest(input);
    const found = await listOrganizationMembers(context, actor, input.organization, page);
    const data = presentPage(found, page, (member) => member);
    return { summary: pageSummary('Members', data), data };
  },
});

export const listInvitationsOfOrganization = defineTool({
  name: 'list_organization_invitations',
  title: 'Who is invited to an organization?',
  description:
    'Lists the pending invitations to an organization. Expired ones are flagged. For its admins.',
  scope: 'organizations',
  effect: { reads: true },
  input: Type.Object({ organization, ...PageQuery }, { additionalProperties: false }),
  output: PageResult(OrganizationInvitation),
  handler: async ({ context, actor, input }) => {
    const page = pageRequest(input);
    const found = await listOrganizationInvitations(context, actor, input.organization, page);
    const now = context.now();
    const data = presentPage(found, page, (row) => presentOrganizationInvitation(row, now));
    return { summary: pageSummary('Pending invitations', data), data };
  },
});

export const setMember = defineTool({
  name: 'set_member',
  title: 'Invite a member, or change a role',
  description:
    'Invites a user to an organization; the user has to accept. Or changes a member’s role. For its ' +
    'admins. The last admin can’t be demoted.',
  scope: 'organizations',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      organization,
      username: Type.String({ description: 'The user.' }),
      role: Type.Optional(
        Type.Unsafe<(typeof ROLES)[number]>({
          type: 'string',
          enum: [...ROLES],
          default: 'member',
          description: '`admin`: full control; `member`: as the organization’s settings say.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    outcome: OneOf(['invited', 'role_changed'], 'Whether the user was invited or a member.'),
    invitationId: Type.Optional(Type.String({ description: 'The invitation’s id.' })),
  }),
  handler: async ({ context, actor, input }) => {
    const { role = 'member', username } = input;
    const made = await inviteOrChangeMember(context, actor, input.organization, username, role);
    return made
      ? { summary: 'Invited.', data: { outcome: 'invited' as const, invitationId: made.id } }
      : {
          summary: `The member’s role is ${role} now.`,
          data: { outcome: 'role_changed' as const },
        };
  },
});

export const removeMember = defineTool({
  name: 'remove_member',
  title: 'Remove a member, or cancel an invitation',
  description:
    'Removes a member from an organization (username), or cancels a pending invitation ' +
    '(invitation_id). The user loses access to all of its documents that aren’t public, also to ' +
    'those they created. The documents stay. For its admins. The last admin can’t be removed.',
  scope: 'organizations',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    { organization, username: UsernameArgument, invitation_id: InvitationArgument },
    { additionalProperties: false },
  ),
  output: Type.Object({
    outcome: OneOf(['member_removed', 'invitation_cancelled'], 'What was ended.'),
  }),
  handler: async ({ context, actor, input }) => {
    const target = personOrInvitation(input);
    if ('invitationId' in target) {
      const { invitationId } = target;
      await cancelOrganizationInvitation(context, actor, input.organization, invitationId);
      return {
        summary: 'The invitation is taken back.',
        data: { outcome: 'invitation_cancelled' as const },
      };
    }
    await remove(context, actor, input.organization, target.username);
    return { summary: 'The user is no member now.', data: { outcome: 'member_removed' as const } };
  },
});
