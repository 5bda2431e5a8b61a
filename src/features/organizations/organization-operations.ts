import { Type } from 'typebox';
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOwnOrganizations,
  updateOrganization,
} from '../../core/owner/organization-service.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
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
  const tag = 'Organizations';

  addOperation(api, {
    method: 'GET',
    scope: 'organizations',
    path: '/user/orgs',
    id: 'listOwnOrganizations',
    tag,
    summary: 'List your organizations',
    description: 'The organizations you are a member of, with your role.',
    paginated: true,
    answers: { 200: Type.Array(OwnOrganization) },
    handler: async ({ context, actor, page }) =>
      listAnswer(await listOwnOrganizations(context, actor, page), (organization) => organization),
  });

  addOperation(api, {
    method: 'POST',
    scope: 'organizations',
    path: '/user/orgs',
    id: 'createOrganization',
    tag,
    summary: 'Create an organization',
    description: 'You become its first admin.',
    body: CreateOrganizationBody,
    answers: { 201: CreatedOrganization },
    sends: { 201: ['Location'] },
    errors: [422],
    handler: async ({ context, actor, body }) => {
      const organization = await createOrganization(context, actor, body);
      return { status: 201, data: organization, location: `/orgs/${organization.namespace}` };
    },
  });

  addOperation(api, {
    method: 'GET',
    scope: 'organizations',
    path: '/orgs/{org}',
    id: 'getOrganization',
    tag,
    summary: 'Get an organization',
    description:
      'Only members see the settings and their own role, and only with the second factor that the ' +
      'organization may require.',
    answers: { 200: Organization },
    rule: ANY_ORGANIZATION,
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: presentOrganization(
        await getOrganization(context, actor, params.org, { evenShutOut: true }),
      ),
    }),
  });

  addOperation(api, {
    method: 'PATCH',
    scope: 'organizations',
    path: '/orgs/{org}',
    id: 'updateOrganization',
    tag,
    summary: 'Update an organization',
    description: 'Changes the settings. Send at least one field.',
    body: UpdateOrganizationBody,
    answers: { 200: Organization },
    rule: inOrganization('changeSettings'),
    handler: async ({ context, actor, params, body }) => ({
      status: 200,
      data: presentOrganization(await updateOrganization(context, actor, params.org, body)),
    }),
  });

  addOperation(api, {
    method: 'DELETE',
    scope: 'organizations',
    path: '/orgs/{org}',
    id: 'deleteOrganization',
    tag,
    summary: 'Delete an organization',
    description: 'Also deletes its memberships, invitations, briefs and pages.',
    answers: { 204: null },
    rule: inOrganization('delete'),
    handler: async ({ context, actor, params }) => {
      await deleteOrganization(context, actor, params.org);
      return NO_CONTENT;
    },
  });
}
