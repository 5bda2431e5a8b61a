import { Type } from 'typebox';
import { getOwnAccount } from '../../core/identity/account-service.ts';
import { AnyObject, PageArgument, pageOf, presentPage } from '../../surfaces/mcp/paging.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import { listOwnInvitations } from '../invitations/answer-service.ts';
import { presentInviteeInvitation } from '../invitations/invitation-schema.ts';
import { listMemberships } from '../organizations/membership-service.ts';
import { presentMembership } from '../organizations/organization-schema.ts';
import { presentClosedOrganizations, presentOwnProfile } from './account-schema.ts';

export const whoami = defineTool({
  name: 'whoami',
  title: 'Show my account and invitations',
  description:
    'Shows the account that you work with, the scopes of this connection, and pending ' +
    'invitations (see answer_invitation).',
  scope: undefined,
  otherScopes: ['profile'],
  effect: { reads: true },
  input: Type.Object(PageArgument, { additionalProperties: false }),
  output: Type.Object({
    username: Type.String(),
    scopes: Type.Array(Type.String()),
    invitations: Type.Optional(AnyObject),
    organizationInvitations: Type.Optional(AnyObject),
    closedOrganizations: Type.Optional(Type.Array(AnyObject)),
  }),
  handler: async ({ call, input }) => {
    const { scopes } = call.actor;
    const page = pageOf(input);
    const profile = scopes.includes('profile')
      ? presentOwnProfile(await getOwnAccount(call))
      : { username: call.actor.username };
    const toDocuments = scopes.includes('sharing')
      ? presentPage(
          await listOwnInvitations(call, 'documents', page),
          page,
          presentInviteeInvitation,
        )
      : undefined;
    const toOrganizations = scopes.includes('organizations')
      ? presentPage(await listMemberships(call, 'pending', page), page, presentMembership)
      : undefined;
    const closedOrganizations = presentClosedOrganizations(call.actor);
    const waiting = (toDocuments?.total ?? 0) + (toOrganizations?.total ?? 0);
    return {
      summary: [
        `You work for ${profile.username}. Invitations: ${waiting}.`,
        ...closedOrganizations.map(({ message }) => message),
      ].join(' '),
      data: {
        ...profile,
        scopes: [...scopes],
        ...(toDocuments && { invitations: toDocuments }),
        ...(toOrganizations && { organizationInvitations: toOrganizations }),
        ...(closedOrganizations.length > 0 && { closedOrganizations }),
      },
    };
  },
});
