import type { Call } from '../../core/context.ts';
import { change, get, list, make, remove } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { inOrganization, type Rule } from '../../surfaces/rest/rules.ts';
import {
  CreatedWebhook,
  CreateWebhookBody,
  DeliverySchema,
  presentDelivery,
  presentWebhook,
  TestSchema,
  UpdatedWebhook,
  UpdateWebhookBody,
  WebhookSchema,
} from './webhook-schema.ts';
import {
  createWebhook,
  deleteWebhook,
  getDeliveries,
  listWebhooks,
  requireWebhook,
  requireWebhookOwner,
  testWebhook,
  updateWebhook,
} from './webhook-service.ts';

/** The owners of webhooks: users and organizations. */
const OWNERS = [
  {
    path: '/user/webhooks',
    title: 'Own',
    of: 'your',
    reading: { scope: 'documents:read' },
    // A token with this scope can publish documents, so events about them reveal nothing more.
    changing: { scope: 'documents:write' },
    managing: { refusals: [] },
    sends: 'events of your own documents',
  },
  {
    path: '/orgs/{org}/webhooks',
    title: 'Organization',
    of: 'an organization’s',
    reading: { scope: 'organizations' },
    changing: { scope: 'organizations' },
    managing: inOrganization('manageWebhooks'),
    sends: 'events of all documents of the organization',
  },
] as const;

/** Adds the routes of webhooks, which post events to other services (Standard Webhooks). */
export function addWebhookOperations(api: Api): void {
  for (const owner of OWNERS) addWebhookRoutesOf(api, owner);
}

function addWebhookRoutesOf(api: Api, owner: (typeof OWNERS)[number]): void {
  const { path, title, of } = owner;
  const tag = 'Webhooks';
  const reading = { ...owner.reading, tag, isAboutAll: true } as const;
  const changing = { ...owner.changing, tag, isAboutAll: true } as const;
  const one = `${path}/{id}` as const;
  const orgOf = (params: unknown) => (params as { org?: string }).org;
  const pathOf = (params: unknown) => path.replace('{org}', orgOf(params) ?? '');
  const any: Rule<unknown> = {
    ...owner.managing,
    check: ({ sql, actor }: Call, params) => requireWebhookOwner(sql.read, actor, orgOf(params)),
  };
  const existing: Rule<{ id: string }> = {
    ...any,
    refusals: [...any.refusals, 404],
    check: ({ sql, actor }: Call, params) =>
      requireWebhook(sql.read, actor, orgOf(params), params.id),
  };

  list(api, {
    ...reading,
    path,
    id: `list${title}Webhooks`,
    summary: `List ${of} webhooks`,
    description: 'Newest first, without their secrets.',
    items: WebhookSchema,
    rule: any,
    find: ({ call, params, page }) => listWebhooks(call, orgOf(params), page),
    present: presentWebhook,
  });

  make(api, {
    ...changing,
    path,
    id: `create${title}Webhook`,
    summary: `Create one of ${of} webhooks`,
    description:
      `Posts ${owner.sends}, signed as in the Standard Webhooks specification. At most 10. The ` +
      'response has the `secret`, which is shown only once.',
    body: CreateWebhookBody,
    answer: CreatedWebhook,
    errors: [422],
    rule: any,
    handler: async ({ call, params, body }) => {
      const org = orgOf(params);
      const { webhook, secret } = await createWebhook(call, org, body);
      return {
        data: { ...presentWebhook(webhook), secret },
        location: `${pathOf(params)}/${webhook.id}`,
      };
    },
  });

  get(api, {
    ...reading,
    path: one,
    id: `get${title}Webhook`,
    summary: `Get one of ${of} webhooks`,
    description: 'Its address and state, without its secret.',
    answer: WebhookSchema,
    rule: existing,
    handler: async ({ call, params }) =>
      presentWebhook(await requireWebhook(call.sql.read, call.actor, orgOf(params), params.id)),
  });

  change(api, {
    ...changing,
    path: one,
    id: `update${title}Webhook`,
    summary: `Change one of ${of} webhooks`,
    description: 'Address, types, whether it is enabled, and its secret. Send at least one field.',
    body: UpdateWebhookBody,
    answer: UpdatedWebhook,
    rule: existing,
    handler: async ({ call, params, body }) => {
      const target = { owner: orgOf(params), id: params.id };
      const { webhook, secret } = await updateWebhook(call, target, body);
      return { ...presentWebhook(webhook), ...(secret !== undefined && { secret }) };
    },
  });

  remove(api, {
    ...changing,
    path: one,
    id: `delete${title}Webhook`,
    summary: `Delete one of ${of} webhooks`,
    description: 'With its deliveries. Queued deliveries aren’t sent.',
    rule: existing,
    handler: ({ call, params }) => deleteWebhook(call, orgOf(params), params.id),
  });

  make(api, {
    ...changing,
    path: `${one}/test`,
    id: `test${title}Webhook`,
    summary: `Send a test to one of ${of} webhooks`,
    description:
      'Sent once, soon, with the type `webhook.test`. The list of deliveries shows the result.',
    answer: TestSchema,
    errors: [422],
    rule: existing,
    handler: async ({ call, params }) => ({
      data: await testWebhook(call, orgOf(params), params.id),
      location: `${pathOf(params)}/${params.id}/deliveries`,
    }),
  });

  list(api, {
    ...reading,
    path: `${one}/deliveries`,
    id: `list${title}WebhookDeliveries`,
    summary: `List the deliveries of one of ${of} webhooks`,
    description: 'Those of the last 30 days, newest first.',
    items: DeliverySchema,
    rule: existing,
    find: ({ call, params, page }) =>
      getDeliveries(call, { owner: orgOf(params), id: params.id }, page),
    present: presentDelivery,
  });
}
