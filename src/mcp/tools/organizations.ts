import { Type } from 'typebox';
import {
  acceptMembership,
  leaveOrganization as leave,
  listMemberships,
} from '../../organization/membership-service.ts';
import {
  CreatedOrganization,
  Membership,
  Organization,
  presentMembership,
  presentOrganization,
  UpdateOrganizationBody,
} from '../../organization/organization-schema.ts';
import {
  createOrganization as create,
  getOrganization as get,
  deleteOrganization as remove,
  updateOrganization as update,
} from '../../organization/organization-service.ts';
import { PageQuery, pageRequest } from '../../pagination/result-page-schema.ts';
import { OneOf } from '../../schema/fields.ts';
import { MAX_SHOWN_NAME_CHARACTERS } from '../../text/shown-name.ts';
import { invalidArgument } from '../arguments.ts';
import { PageResult, pageSummary, presentPage } from '../paging.ts';
import { defineTool } from '../tool.ts';

const OrganizationArgument = Type.String({
  description: 'The organization’s namespace.',
  examples: ['engines'],
});
const settings = UpdateOrganizationBody.properties;

export const listOrganizations = defineTool({
  name: 'list_organizations',
  title: 'List your organizations',
  description:
    'Lists the organizations that you belong to (state `active`) and those that invite you ' +
    '(`pending`): see join_organization and leave_organization.',
  scope: 'organizations',
  effect: { reads: true },
  input: Type.Object(
    {
      state: Type.Optional(OneOf(['active', 'pending'], 'Only memberships, or only invitations.')),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  output: PageResult(Membership),
  handler: async ({ context, actor, input }) => {
    const page = pageRequest(input);
    const found = await listMemberships(context, actor, input.state, page);
    const data = presentPage(found, page, presentMembership);
    return { summary: pageSummary('Your organizations', data), data };
  },
});

export const getOrganization = defineTool({
  name: 'get_organization',
  title: 'Look an organization up',
  description:
    'Shows an organization. Members also see its settings and their role. See list_members for its ' +
    'members and list_documents for its documents.',
  scope: 'organizations',
  effect: { reads: true },
  input: Type.Object({ organization: OrganizationArgument }, { additionalProperties: false }),
  output: Type.Object({ organization: Organization }),
  handler: async ({ context, actor, input }) => {
    const organization = presentOrganization(await get(context, actor, input.organization));
    return { summary: `The organization ${organization.namespace}.`, data: { organization } };
  },
});

export const createOrganization = defineTool({
  name: 'create_organization',
  title: 'Make an organization',
  description: 'Creates an organization with a namespace for its documents. You become its admin.',
  scope: 'organizations',
  effect: {},
  input: Type.Object(
    {
      namespace: Type.String({
        description: '1 to 39 of a-z, digits and single hyphens between them; lowercased.',
      }),
      name: Type.String({
        description: `The name for people, 1 to ${MAX_SHOWN_NAME_CHARACTERS} characters.`,
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ organization: CreatedOrganization }),
  handler: async ({ context, actor, input }) => {
    const organization = await create(context, actor, input);
    return {
      summary: `The organization ${organization.namespace} is made.`,
      data: { organization },
    };
  },
});

export const updateOrganization = defineTool({
  name: 'update_organization',
  title: 'Change an organization’s settings',
  description:
    'Changes what members of an organization can do. Give at least one setting. For its admins.',
  scope: 'organizations',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      organization: OrganizationArgument,
      members_can_create: settings.membersCanCreate,
      default_brief_permission: settings.defaultBriefPermission,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ organization: Organization }),
  handler: async ({ context, actor, input }) => {
    const { members_can_create: membersCanCreate, default_brief_permission } = input;
    if (membersCanCreate === undefined && default_brief_permission === undefined) {
      throw invalidArgument('arguments', 'need at least one setting to change');
    }
    const changed = await update(context, actor, input.organization, {
      ...(membersCanCreate !== undefined && { membersCanCreate }),
      ...(default_brief_permission && { defaultBriefPermission: default_brief_permission }),
    });
    const organization = presentOrganization(changed);
    return { summary: `${organization.namespace} has new settings.`, data: { organization } };
  },
});

export const deleteOrganization = defineTool({
  name: 'delete_organization',
  title: 'Delete an organization',
  description:
    'Deletes an organization for good, with ALL its documents, members and invitations. This can’t ' +
    'be undone: ask the user to confirm the namespace first. For its admins.',
  scope: 'organizations',
  effect: { destroys: true, repeatable: true },
  input: Type.Object({ organization: OrganizationArgument }, { additionalProperties: false }),
  output: Type.Object({ deleted: Type.Boolean() }),
  handler: async ({ context, actor, input }) => {
    await remove(context, actor, input.organization);
    return { summary: 'The organization is deleted.', data: { deleted: true } };
  },
});

export const joinOrganization = defineTool({
  name: 'join_organization',
  title: 'Accept an invitation to an organization',
  description:
    'Accepts the invitation of an organization, so that you become a member. Ask the user first.',
  scope: 'organizations',
  effect: { repeatable: true },
  input: Type.Object({ organization: OrganizationArgument }, { additionalProperties: false }),
  output: Type.Object({ membership: Membership }),
  handler: async ({ context, actor, input }) => {
    const membership = presentMembership(
      await acceptMembership(context, actor, input.organization),
    );
    return { summary: `You are a ${membership.role} now.`, data: { membership } };
  },
});

export const leaveOrganization = defineTool({
  name: 'leave_organization',
  title: 'Leave an organization, or decline its invitation',
  description:
    'Ends your membership in an organization, or declines its invitation. Leaving ends your access ' +
    'to all of its documents that aren’t public, also to those you created. The documents stay. The ' +
    'last admin can’t leave. Ask the user first.',
  scope: 'organizations',
  effect: { destroys: true, repeatable: true },
  input: Type.Object({ organization: OrganizationArgument }, { additionalProperties: false }),
  output: Type.Object({ left: Type.Boolean() }),
  handler: async ({ context, actor, input }) => {
    await leave(context, actor, input.organization);
    return { summary: 'You do not belong to the organization now.', data: { left: true } };
  },
});
