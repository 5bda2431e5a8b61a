import { get, put } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { inOrganization, type Rule } from '../../surfaces/rest/rules.ts';
import { getOwnerQuotas, setExceptions } from './quota-admin-service.ts';
import {
  ExceptionsBody,
  OwnerQuotasSchema,
  presentQuotas,
  presentUsage,
  UsageSchema,
} from './quota-schema.ts';
import { organizationUsage, ownUsage } from './usage-service.ts';

const OF_OWNER: Rule<{ owner: string }> = {
  needs: 'instance admin',
  refusals: [403, 404],
  check: (call, { owner }) => getOwnerQuotas(call, call.actor, owner),
};

/** Adds the routes of usage and limits. */
export function addQuotaOperations(api: Api): void {
  const tag = 'Usage and limits';

  get(api, {
    path: '/user/usage',
    id: 'getOwnUsage',
    tag,
    isAboutAll: true,
    scope: 'documents:read',
    summary: 'Get what you use',
    description: 'What you have of what is limited, and the limits.',
    answer: UsageSchema,
    handler: async ({ call }) => presentUsage(await ownUsage(call)),
  });

  get(api, {
    path: '/orgs/{org}/usage',
    id: 'getOrganizationUsage',
    tag,
    scope: 'organizations',
    summary: 'Get what an organization uses',
    description: 'What it has of what is limited, and the limits.',
    answer: UsageSchema,
    rule: inOrganization('seeMembers'),
    handler: async ({ call, params }) => presentUsage(await organizationUsage(call, params.org)),
  });

  const admin = { tag, scope: 'admin' } as const;

  get(api, {
    ...admin,
    path: '/admin/quotas/{owner}',
    id: 'getQuotas',
    summary: 'Get the limits of a user or an organization',
    description: 'Only for administrators of the instance. With what it uses.',
    answer: OwnerQuotasSchema,
    rule: OF_OWNER,
    handler: async ({ call, params }) =>
      presentQuotas(await getOwnerQuotas(call, call.actor, params.owner)),
  });

  put(api, {
    ...admin,
    path: '/admin/quotas/{owner}',
    id: 'setQuotas',
    summary: 'Set the limits of a user or an organization',
    description:
      'Only for administrators of the instance. Replaces its own limits: a limit that isn’t sent is ' +
      'that of the settings again. The other limits are the same for everyone. What it has already stays.',
    body: ExceptionsBody,
    answer: OwnerQuotasSchema,
    rule: OF_OWNER,
    handler: async ({ call, params, body }) =>
      presentQuotas(await setExceptions(call, call.actor, params.owner, body)),
  });
}
