import { requireAdmin } from '../../core/identity/admin.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { inOrganization, type Rule } from '../../surfaces/rest/rules.ts';
import { getOwnerQuotas, listExceptions, setExceptions } from './quota-admin-service.ts';
import {
  ExceptedListSchema,
  ExceptionsBody,
  OwnerQuotasSchema,
  presentExcepted,
  presentQuotas,
  presentUsage,
  UsageSchema,
} from './quota-schema.ts';
import { organizationUsage, ownUsage } from './usage-service.ts';

const BY_ADMINS: Rule<unknown> = {
  needs: 'instance admin',
  refusals: [403],
  check: ({ sql }, actor) => requireAdmin(sql.read, actor),
};

const OF_OWNER: Rule<{ owner: string }> = {
  ...BY_ADMINS,
  refusals: [403, 404],
  check: (context, actor, { owner }) => getOwnerQuotas(context, actor, owner),
};

/** Adds the routes of usage and limits. */
export function addQuotaOperations(api: Api): void {
  const tag = 'Usage and limits';

  addOperation(api, {
    method: 'GET',
    path: '/user/usage',
    id: 'getOwnUsage',
    tag,
    scope: 'documents:read',
    summary: 'Get what you use',
    description: 'What you have of what is limited, and the limits.',
    answers: { 200: UsageSchema },
    handler: async ({ context, actor }) => ({
      status: 200,
      data: presentUsage(await ownUsage(context, actor)),
    }),
  });

  addOperation(api, {
    method: 'GET',
    path: '/orgs/{org}/usage',
    id: 'getOrganizationUsage',
    tag,
    scope: 'organizations',
    summary: 'Get what an organization uses',
    description: 'What it has of what is limited, and the limits.',
    answers: { 200: UsageSchema },
    rule: inOrganization('seeMembers'),
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: presentUsage(await organizationUsage(context, actor, params.org)),
    }),
  });

  const admin = { tag, scope: 'admin' } as const;

  addOperation(api, {
    ...admin,
    method: 'GET',
    path: '/admin/quotas',
    id: 'listQuotas',
    summary: 'List who has limits of their own',
    description: 'Only for administrators of the instance. All others have those of the settings.',
    answers: { 200: ExceptedListSchema },
    rule: BY_ADMINS,
    handler: async ({ context, actor }) => ({
      status: 200,
      data: { owners: (await listExceptions(context, actor)).map(presentExcepted) },
    }),
  });

  addOperation(api, {
    ...admin,
    method: 'GET',
    path: '/admin/quotas/{owner}',
    id: 'getQuotas',
    summary: 'Get the limits of a user or an organization',
    description: 'Only for administrators of the instance. With what it uses.',
    answers: { 200: OwnerQuotasSchema },
    rule: OF_OWNER,
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: presentQuotas(await getOwnerQuotas(context, actor, params.owner)),
    }),
  });

  addOperation(api, {
    ...admin,
    method: 'PUT',
    path: '/admin/quotas/{owner}',
    id: 'setQuotas',
    summary: 'Set the limits of a user or an organization',
    description:
      'Only for administrators of the instance. Replaces its own limits: a limit that isn’t sent is ' +
      'that of the settings again. What it has already stays.',
    body: ExceptionsBody,
    answers: { 200: OwnerQuotasSchema },
    rule: OF_OWNER,
    handler: async ({ context, actor, params, body }) => ({
      status: 200,
      data: presentQuotas(await setExceptions(context, actor, params.owner, body)),
    }),
  });

  addOperation(api, {
    ...admin,
    method: 'DELETE',
    path: '/admin/quotas/{owner}',
    id: 'deleteQuotas',
    summary: 'Remove the limits of a user or an organization',
    description: 'Only for administrators of the instance. It has those of the settings again.',
    answers: { 204: null },
    rule: OF_OWNER,
    handler: async ({ context, actor, params }) => {
      await setExceptions(context, actor, params.owner, {});
      return NO_CONTENT;
    },
  });
}
