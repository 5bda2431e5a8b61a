import { Type } from 'typebox';
import type { Call } from '../../core/context.ts';
import { ROLES } from '../../core/owner/organization-access.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import {
  InvitationArgument,
  notByAddress,
  personOrInvitation,
  type Target,
  UsernameArgument,
} from '../../surfaces/mcp/person.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import { cancelInvitation, inviteAddress } from '../invitations/invitation-service.ts';
import { inviteOrChangeMember, removeMember } from './member-service.ts';
import { leaveOrganization } from './membership-service.ts';

export const setMember = defineTool({
  name: 'set_member',
  title: 'Invite, change or remove a member',
  description:
    'Invites a user or an email address to an organization, or changes a member’s role. `none` removes the member or ' +
    'cancels the invitation; with your own username you leave. That ends access to documents ' +
    'that aren’t public; the documents stay. For admins. Ask the user before `none`.',
  scope: 'organizations',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      organization: Type.String(),
      username: UsernameArgument,
      invitation_id: InvitationArgument,
      role: Type.Optional(Choice([...ROLES, 'none'], { default: 'member' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    outcome: Type.String(),
    invitationId: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
  }),
  argumentNames: { email: 'username' },
  handler: async ({ call, input }) => {
    const { organization, role = 'member' } = input;
    const target = personOrInvitation(input);
    if (role === 'none') return endMembership(call, organization, target);
    if ('invitationId' in target) {
      throw invalidArgument('invitation_id', 'goes with role "none"; give username');
    }
    if ('email' in target) {
      const invited = { email: target.email, level: role };
      const place = { org: organization };
      const { id, url } = await inviteAddress(call, place, invited);
      return {
        summary: url === null ? 'Invited by mail.' : 'Not mailed: pass the link on.',
        data: { outcome: 'invited', invitationId: id, ...(url !== null && { url }) },
      };
    }
    const made = await inviteOrChangeMember(call, organization, target.username, role);
    return made
      ? { summary: 'Invited.', data: { outcome: 'invited', invitationId: made.id } }
      : { summary: `The member’s role is now ${role}.`, data: { outcome: 'role_changed' } };
  },
});

async function endMembership(call: Call, organization: string, target: Target) {
  if ('invitationId' in target) {
    const place = { org: organization };
    await cancelInvitation(call, place, 'anyone', target.invitationId);
    return { summary: 'The invitation was cancelled.', data: { outcome: 'invitation_cancelled' } };
  }
  if ('email' in target) throw notByAddress();
  if (target.username.toLowerCase() === call.actor.username) {
    await leaveOrganization(call, organization);
    return { summary: 'You no longer belong to the organization.', data: { outcome: 'left' } };
  }
  await removeMember(call, organization, target.username);
  return { summary: 'The user is no longer a member.', data: { outcome: 'member_removed' } };
}
