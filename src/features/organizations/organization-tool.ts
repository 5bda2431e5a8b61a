import { Type } from 'typebox';
import { MAX_SHOWN_NAME_CHARACTERS } from '../../base/text/shown-name.ts';
import type { Call } from '../../core/context.ts';
import { DEFAULT_BRIEF_PERMISSIONS, roleAllows } from '../../core/owner/organization-access.ts';
import {
  createOrganization,
  getOrganization as get,
  updateOrganization,
} from '../../core/owner/organization-service.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import { OptionalText } from '../../surfaces/mcp/optional-text.ts';
import {
  AnyObject,
  PageArgument,
  pageOf,
  pageSummary,
  presentPage,
} from '../../surfaces/mcp/paging.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import {
  presentEmailInvitation,
  presentOrganizationInvitation,
} from '../invitations/invitation-schema.ts';
import { listInvitations } from '../invitations/invitation-service.ts';
import { listOrganizationMembers } from './member-service.ts';
import { listMemberships } from './membership-service.ts';
import { presentMember, presentMembership, presentOrganization } from './organization-schema.ts';

export const getOrganization = defineTool({
  name: 'get_organization',
  title: 'Look up organizations',
  description:
    'Shows an organization by its namespace: its members and settings to members, pending ' +
    'invitations to admins. Without one, lists the organizations that you belong to.',
  scope: 'organizations',
  effect: { reads: true },
  input: Type.Object(
    { organization: OptionalText(), ...PageArgument },
    { additionalProperties: false },
  ),
  output: Type.Object({
    organizations: Type.Optional(AnyObject),
    organization: Type.Optional(AnyObject),
    members: Type.Optional(AnyObject),
    invitations: Type.Optional(AnyObject),
    emailInvitations: Type.Optional(AnyObject),
  }),
  handler: async ({ call, input }) => {
    const page = pageOf(input);
    if (input.organization === undefined) {
      const found = await listMemberships(call, 'active', page);
      const organizations = presentPage(found, page, presentMembership);
      return {
        summary: pageSummary('Your organizations', organizations),
        data: { organizations },
      };
    }
    const row = await get(call, input.organization, { evenShutOut: true });
    const { namespace, role } = row;
    const members = role && (await listOrganizationMembers(call, namespace, page));
    const now = call.now();
    const mayInvite = roleAllows(role, 'invite');
    const place = { org: namespace };
    const users = mayInvite && (await listInvitations(call, place, 'users', page));
    const addresses = mayInvite && (await listInvitations(call, place, 'addresses', page));
    return {
      summary: `The organization ${namespace}.`,
      data: {
        organization: presentOrganization(row),
        ...(members && { members: presentPage(members, page, presentMember) }),
        ...(users && {
          invitations: presentPage(users, page, (row) => presentOrganizationInvitation(row, now)),
        }),
        ...(addresses && {
          emailInvitations: presentPage(addresses, page, (row) => presentEmailInvitation(row, now)),
        }),
      },
    };
  },
});

export const setOrganization = defineTool({
  name: 'set_organization',
  title: 'Create an organization, or change it',
  description:
    'With a name, creates an organization, and you become its admin. Without one, changes what ' +
    'its members can do; for its admins.',
  scope: 'organizations',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      organization: Type.String({
        description: 'Its namespace: a-z, digits and single hyphens, at most 39.',
      }),
      name: Type.Optional(
        Type.String({
          description: `To create it: the displayed name, at most ${MAX_SHOWN_NAME_CHARACTERS} characters.`,
        }),
      ),
      members_can_create: Type.Optional(Type.Boolean()),
      default_brief_permission: Type.Optional(
        Choice(DEFAULT_BRIEF_PERMISSIONS, {
          description: 'What members can do with documents that aren’t private.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ organization: AnyObject }),
  argumentNames: { namespace: 'organization' },
  handler: async ({ call, input }) => {
    const { organization: namespace, name } = input;
    const { members_can_create: membersCanCreate, default_brief_permission } = input;
    const settings = {
      ...(membersCanCreate !== undefined && { membersCanCreate }),
      ...(default_brief_permission && { defaultBriefPermission: default_brief_permission }),
    };
    if (name !== undefined) return create(call, { namespace, name }, settings);
    if (Object.keys(settings).length === 0) {
      throw invalidArgument('arguments', 'give a name to create it, or a setting to change');
    }
    const organization = presentOrganization(await updateOrganization(call, namespace, settings));
    return { summary: `${organization.namespace} has new settings.`, data: { organization } };
  },
});

async function create(call: Call, names: { namespace: string; name: string }, settings: object) {
  if (Object.keys(settings).length > 0) {
    throw invalidArgument('name', 'creates an organization; change its settings afterwards');
  }
  const organization = await createOrganization(call, names);
  return {
    summary: `The organization ${organization.namespace} was created.`,
    data: { organization },
  };
}
