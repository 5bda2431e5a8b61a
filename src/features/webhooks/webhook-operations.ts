import { Type } from 'typebox';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
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
  const reading = { ...owner.reading, tag };
  const changing = { ...owner.changing, tag };
  const one = `${path}/{id}` as const;
  const orgOf = (params: unknown) => (params as { org?: string }).org;
  const pathOf = (params: unknown) => path.replace('{org}', orgOf(params) ?? '');
  const any: Rule<unknown> = {
    ...owner.managing,
    check: ({ sql }, actor, params) => requireWebhookOwner(sql.read, actor, orgOf(params)),
  };
  const existing: Rule<{ id: string }> = {
    ...any,
    refusals: [...any.refusals, 404],
    check: ({ sql }, actor, params) => requireWebhook(sql.read, actor, orgOf(params), params.id),
  };

  addOperation(api, {
    ...reading,
    method: 'GET',
    path,
    id: `list${title}Webhooks`,
    summary: `List ${of} webhooks`,
    description: 'Newest first, without their secrets.',
    paginated: true,
    answers: { 200: Type.Array(WebhookSchema) },
    rule: any,
    handler: async ({ context, actor, params, page }) =>
      listAnswer(await listWebhooks(context, actor, orgOf(params), page), presentWebhook),
  });

  addOperation(api, {
    ...changing,
    method: 'POST',
    path,
    id: `create${title}Webhook`,
    summary: `Create one of ${of} webhooks`,
    description:
      `Posts ${owner.sends}, signed as in the Standard Webhooks specification. At most 10. The ` +
      'response has the `secret`, which is shown only once.',
    body: CreateWebhookBody,
    answers: { 201: CreatedWebhook },
    sends: { 201: ['Location'] },
    errors: [422],
    rule: any,
    handler: async ({ context, actor, params, body }) => {
      const org = orgOf(params);
      const { webhook, secret } = await createWebhook(context, actor, org, body);
      return {
        status: 201,
        data: { ...presentWebhook(webhook), secret },
        location: `${pathOf(params)}/${webhook.id}`,
      };
    },
  });

  addOperation(api, {
    ...reading,
    method: 'GET',
    path: one,
    id: `get${title}Webhook`,
    summary: `Get one of ${of} webhooks`,
    description: 'Its address and state, without its secret.',
    answers: { 200: WebhookSchema },
    rule: existing,
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: presentWebhook(await requireWebhook(context.sql.read, actor, orgOf(params), params.id)),
    }),
  });

  addOperation(api, {
    ...changing,
    method: 'PATCH',
    path: one,
    id: `update${title}Webhook`,
    summary: `Change one of ${of} webhooks`,
    description: 'Address, types, whether it is enabled, and its secret. Send at least one field.',
    body: UpdateWebhookBody,
    answers: { 200: UpdatedWebhook },
    rule: existing,
    handler: async ({ context, actor, params, body }) => {
      const target = { owner: orgOf(params), id: params.id };
      const { webhook, secret } = await updateWebhook(context, actor, target, body);
      return {
        status: 200,
        data: { ...presentWebhook(webhook), ...(secret !== undefined && { secret }) },
      };
    },
  });

  addOperation(api, {
    ...changing,
    method: 'DELETE',
    path: one,
    id: `delete${title}Webhook`,
    summary: `Delete one of ${of} webhooks`,
    description: 'With its deliveries. Queued deliveries aren’t sent.',
    answers: { 204: null },
    rule: existing,
    handler: async ({ context, actor, params }) => {
      await deleteWebhook(context, actor, orgOf(params), params.id);
      return NO_CONTENT;
    },
  });

  addOperation(api, {
    ...changing,
    method: 'POST',
    path: `${one}/test`,
    id: `test${title}Webhook`,
    summary: `Send a test to one of ${of} webhooks`,
    description:
      'Sent once, soon, with the type `webhook.test`. The list of deliveries shows the result.',
    answers: { 201: TestSchema },
    sends: { 201: ['Location'] },
    errors: [422],
    rule: existing,
    handler: async ({ context, actor, params }) => ({
      status: 201,
      data: await testWebhook(context, actor, orgOf(params), params.id),
      location: `${pathOf(params)}/${params.id}/deliveries`,
    }),
  });

  addOperation(api, {
    ...reading,
    method: 'GET',
    path: `${one}/deliveries`,
    id: `list${title}WebhookDeliveries`,
    summary: `List the deliveries of one of ${of} webhooks`,
    description: 'Those of the last 30 days, newest first.',
    paginated: true,
    answers: { 200: Type.Array(DeliverySchema) },
    rule: existing,
    handler: async ({ context, actor, params, page }) => {
      const target = { owner: orgOf(params), id: params.id };
      return listAnswer(await getDeliveries(context, actor, target, page), presentDelivery);
    },
  });
}
