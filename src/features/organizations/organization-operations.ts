import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOwnOrganizations,
  updateOrganization,
} from '../../core/owner/organization-service.ts';
import { change, get, list, make, remove } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { ANY_ORGANIZATION, inOrganization } from '../../surfaces/rest/rules.ts';
import {
  CreatedOrganization,
  CreateOrganizationBody,
  Organization,
  OwnOrganization,
  presentOrganization,
  UpdateOrganizationBody,
} from './organization-schema.ts';

/** Adds the routes of organizations (specification, part "Organizations"). */
export function addOrganizationOperations(api: Api): void {
  const common = { tag: 'Organizations', scope: 'organizations' } as const;

  list(api, {
    ...common,
    path: '/user/orgs',
    id: 'listOwnOrganizations',
    summary: 'List your organizations',
    description: 'The organizations you are a member of, with your role.',
    items: OwnOrganization,
    find: ({ call, page }) => listOwnOrganizations(call, page),
    present: (organization) => organization,
  });

  make(api, {
    ...common,
    path: '/user/orgs',
    id: 'createOrganization',
    summary: 'Create an organization',
    description: 'You become its first admin.',
    body: CreateOrganizationBody,
    answer: CreatedOrganization,
    errors: [422],
    handler: async ({ call, body }) => {
      const organization = await createOrganization(call, body);
      return { data: organization, location: `/orgs/${organization.namespace}` };
    },
  });

  get(api, {
    ...common,
    path: '/orgs/{org}',
    id: 'getOrganization',
    summary: 'Get an organization',
    description:
      'Only members see the settings and their own role, and only with the second factor that the ' +
      'organization may require.',
    answer: Organization,
    rule: ANY_ORGANIZATION,
    handler: async ({ call, params }) =>
      presentOrganization(await getOrganization(call, params.org, { evenShutOut: true })),
  });

  change(api, {
    ...common,
    path: '/orgs/{org}',
    id: 'updateOrganization',
    summary: 'Update an organization',
    description: 'Changes the settings. Send at least one field.',
    body: UpdateOrganizationBody,
    answer: Organization,
    rule: inOrganization('changeSettings'),
    handler: async ({ call, params, body }) =>
      presentOrganization(await updateOrganization(call, params.org, body)),
  });

  remove(api, {
    ...common,
    path: '/orgs/{org}',
    id: 'deleteOrganization',
    summary: 'Delete an organization',
    description: 'Also deletes its memberships, invitations, briefs and pages.',
    rule: inOrganization('delete'),
    handler: ({ call, params }) => deleteOrganization(call, call.actor, params.org),
  });
}
