import { EVENT_TYPES } from '../../base/schema/event.ts';
import { getOrganization } from '../../core/owner/organization-service.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { faultsOf, isCorrectable, readChoices, readForm } from '../../surfaces/web/form.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import type { OwnOrganization } from '../organizations/organization-frame.tsx';
import { deleteWebhookPage, webhookPage } from './webhook-page.tsx';
import type { WebhooksPlace } from './webhook-parts.tsx';
import {
  createWebhook,
  deleteWebhook,
  getDeliveries,
  listWebhooks,
  requireWebhook,
  testWebhook,
  updateWebhook,
  type WebhookOwner,
} from './webhook-service.ts';
import { webhooksPage } from './webhooks-page.tsx';

interface WebhookRoute {
  Params: { org?: string; id: string };
}

type Asked = AppRequest<WebhookRoute>;

/** The first result page: all of an owner's webhooks, or the latest deliveries. */
const ALL = { number: 1, size: 20 };

/** Adds the webhooks of the user, and of organizations for their admins. */
export function addWebhookRoutes(parts: AppParts): void {
  addWebhookRoutesAt(parts, settingsPath('webhooks'));
  addWebhookRoutesAt(parts, '/organizations/:org/webhooks');
}

function addWebhookRoutesAt(parts: AppParts, address: string): void {
  const { context } = parts;
  const ownerOf = ({ request }: Asked): WebhookOwner => request.params.org;
  const pathOf = (asked: Asked) => {
    const org = ownerOf(asked);
    return org === undefined ? settingsPath('webhooks') : organizationPath(org, 'webhooks');
  };
  const targetOf = (asked: Asked) => ({ owner: ownerOf(asked), id: asked.request.params.id });

  /** Returns the place. Call it only after the service has checked that the actor is an admin. */
  async function placeOf(asked: Asked): Promise<WebhooksPlace> {
    const org = ownerOf(asked);
    const path = pathOf(asked);
    if (org === undefined) return { path, organization: undefined };
    const organization = (await getOrganization(asked.call, org)) as OwnOrganization;
    return { path, organization };
  }

  async function showAll(
    asked: Asked,
    more: Partial<Parameters<typeof webhooksPage>[1]> = {},
    status = 200,
  ) {
    const { items } = await listWebhooks(asked.call, ownerOf(asked), ALL);
    const form = { url: '', types: EVENT_TYPES };
    const page = { webhooks: items, form, faults: {}, ...more };
    return parts.show(asked, webhooksPage(await placeOf(asked), page), status);
  }

  async function showOne(asked: Asked, secret?: string) {
    const { owner, id } = targetOf(asked);
    const webhook = await requireWebhook(context.sql.read, asked.call.actor, owner, id);
    const { items } = await getDeliveries(asked.call, { owner, id }, ALL);
    const page = { webhook, deliveries: items, secret };
    return parts.show(asked, webhookPage(await placeOf(asked), page));
  }

  parts.get<WebhookRoute>(address, (asked) => showAll(asked));

  parts.post<WebhookRoute>(address, async (asked) => {
    const { body } = asked.request;
    const form = {
      url: readForm(body, ['url']).url,
      types: readChoices(body, 'types', EVENT_TYPES),
    };
    try {
      const { webhook, secret } = await createWebhook(asked.call, ownerOf(asked), form);
      // Shown in this response rather than after a redirect, so that it is stored nowhere else.
      return await showAll(asked, { made: { url: webhook.url, secret } }, 201);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return showAll(asked, { form, faults: faultsOf(error) }, 422);
    }
  });

  parts.get<WebhookRoute>(`${address}/:id`, (asked) => showOne(asked));

  parts.post<WebhookRoute>(`${address}/:id/test`, (asked) =>
    parts.act(asked, `${pathOf(asked)}/${asked.request.params.id}`, async () => {
      const { owner, id } = targetOf(asked);
      await testWebhook(asked.call, owner, id);
      return { message: 'Test sent. Reload to see how it went.' };
    }),
  );

  parts.post<WebhookRoute>(`${address}/:id/secret`, async (asked) => {
    const change = { rotateSecret: true };
    const { secret } = await updateWebhook(asked.call, targetOf(asked), change);
    return showOne(asked, secret);
  });

  for (const enabled of [true, false]) {
    parts.post<WebhookRoute>(`${address}/:id/${enabled ? 'enable' : 'disable'}`, (asked) =>
      parts.act(asked, `${pathOf(asked)}/${asked.request.params.id}`, async () => {
        await updateWebhook(asked.call, targetOf(asked), { enabled });
        return { message: enabled ? 'Webhook enabled.' : 'Webhook disabled.' };
      }),
    );
  }

  parts.get<WebhookRoute>(`${address}/:id/delete`, async (asked) => {
    const { owner, id } = targetOf(asked);
    const webhook = await requireWebhook(context.sql.read, asked.call.actor, owner, id);
    return parts.show(asked, deleteWebhookPage(await placeOf(asked), webhook));
  });

  parts.post<WebhookRoute>(`${address}/:id/delete`, async (asked) => {
    const { owner, id } = targetOf(asked);
    await deleteWebhook(asked.call, owner, id);
    return parts.goOn(asked, pathOf(asked), { message: 'Webhook deleted.' });
  });
}
