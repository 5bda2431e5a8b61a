import { randomBytes } from 'node:crypto';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { EVENT_TYPES, type EventType } from '../../base/schema/event.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { audit } from '../../core/audit/audit.ts';
import { type Actor, type Call, type Context, later } from '../../core/context.ts';
import { requireExistingAccount } from '../../core/identity/account-service.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireRoom } from '../../core/quota/quota-service.ts';
import { countWebhooks } from '../../core/quota/quota-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { formatSecret, SECRET_BYTES } from './signature.ts';
import { type DeliveryRow, insertDeliveries, listDeliveries } from './webhook-delivery-store.ts';
import {
  deleteWebhook as deleteWebhookRow,
  findWebhook,
  insertWebhook,
  listWebhooks as listWebhookRows,
  updateDisabled,
  updateEnabled,
  updateSecret,
  updateWebhook as updateWebhookRow,
  type WebhookRow,
} from './webhook-store.ts';
import { parseWebhookUrl } from './webhook-url.ts';

/** The most webhooks per owner. */
const MAX_WEBHOOKS = 10;

/** How long a replaced secret still signs. */
const PREVIOUS_SECRET_MS = 24 * 60 * 60_000;

/** The owner of webhooks: an organization's namespace, or `undefined` for the actor. */
export type WebhookOwner = string | undefined;

/** A webhook, and its new secret if there is one. The secret is shown only once. */
export interface WithSecret {
  webhook: WebhookRow;
  secret: string | undefined;
}

/**
 * Requires that the actor can manage an owner's webhooks, and returns the owner's id.
 *
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function requireWebhookOwner(
  db: Reader,
  actor: Actor,
  owner: WebhookOwner,
): Promise<string> {
  if (owner === undefined) return actor.id;
  return (await requireAllowed(db, actor, 'manageWebhooks', owner)).id;
}

/** Finds one of an owner's webhooks. @throws NOT_FOUND, FORBIDDEN */
export async function requireWebhook(
  db: Reader,
  actor: Actor,
  owner: WebhookOwner,
  id: string,
): Promise<WebhookRow> {
  const webhook = await findWebhook(
    db,
    await requireWebhookOwner(db, actor, owner),
    normaliseId(id),
  );
  if (!webhook) throw new FieldError('NOT_FOUND', 'id', 'no webhook has this id.');
  return webhook;
}

/** Lists an owner's webhooks, newest first. @throws NOT_FOUND, FORBIDDEN */
export async function listWebhooks(
  call: Call,
  owner: WebhookOwner,
  page: PageRequest,
): Promise<Page<WebhookRow>> {
  const { read } = call.sql;
  return listWebhookRows(read, await requireWebhookOwner(read, call.actor, owner), page);
}

/**
 * Creates a webhook.
 *
 * @returns the webhook with its secret
 * @throws NOT_FOUND, FORBIDDEN, BAD_REQUEST naming `url` or `types`, UNPROCESSABLE if the owner has
 *   {@link MAX_WEBHOOKS}, UNAUTHORIZED if the account is gone
 */
export async function createWebhook(
  call: Call,
  owner: WebhookOwner,
  input: { url: string; types: readonly string[] },
): Promise<{ webhook: WebhookRow; secret: string }> {
  const { actor } = call;
  const url = requireUrl(call, input.url);
  const types = requireTypes(input.types);
  const secret = formatSecret(randomBytes(SECRET_BYTES));
  return change(call, owner, async (tx) => {
    await requireExistingAccount(tx, actor.id);
    const ownerId = await requireWebhookOwner(tx, actor, owner);
    const existing = await countWebhooks(tx, ownerId);
    await requireRoom(call, tx, ownerId, 'webhooks', existing);
    if (existing >= MAX_WEBHOOKS) {
      throw new ServiceError(
        'UNPROCESSABLE',
        `There are ${MAX_WEBHOOKS} webhooks, which is the limit. Delete one that you no longer ` +
          'use.',
      );
    }
    const id = call.newId();
    const createdAt = call.now();
    await insertWebhook(tx, {
      id,
      ownerId,
      accountId: actor.id,
      url,
      types,
      secret,
      createdAt,
    });
    const webhook = await requireWebhook(tx, actor, owner, id);
    await record(call, tx, { actor, ownerId, action: 'webhook.created', webhook });
    return { webhook, secret };
  });
}

/**
 * Changes a webhook. A secret that `rotateSecret` replaces still signs for a day.
 *
 * @throws NOT_FOUND, FORBIDDEN, BAD_REQUEST naming `url` or `types`
 */
export async function updateWebhook(
  call: Call,
  { owner, id }: { owner: WebhookOwner; id: string },
  input: {
    url?: string;
    types?: readonly string[];
    enabled?: boolean;
    rotateSecret?: boolean;
  },
): Promise<WithSecret> {
  const { actor } = call;
  const url = input.url === undefined ? undefined : requireUrl(call, input.url);
  const types = input.types === undefined ? undefined : requireTypes(input.types);
  const secret = input.rotateSecret ? formatSecret(randomBytes(SECRET_BYTES)) : undefined;
  const changed = await change(call, owner, async (tx) => {
    const before = await requireWebhook(tx, actor, owner, id);
    const at = call.now();
    await updateWebhookRow(tx, before.id, { url, types });
    if (secret !== undefined) {
      await updateSecret(tx, before.id, { secret, previousUntil: later(at, PREVIOUS_SECRET_MS) });
    }
    if (input.enabled === true && before.disabledAt !== null) await updateEnabled(tx, before.id);
    if (input.enabled === false) await updateDisabled(tx, before.id, { because: 'request', at });
    const webhook = await requireWebhook(tx, actor, owner, id);
    const ownerId = await requireWebhookOwner(tx, actor, owner);
    await record(call, tx, { actor, ownerId, action: 'webhook.changed', webhook });
    return webhook;
  });
  return { webhook: changed, secret };
}

/** Deletes a webhook with its deliveries. @throws NOT_FOUND, FORBIDDEN */
export async function deleteWebhook(call: Call, owner: WebhookOwner, id: string): Promise<void> {
  await change(call, owner, async (tx) => {
    const webhook = await requireWebhook(tx, call.actor, owner, id);
    await deleteWebhookRow(tx, webhook.id);
    const ownerId = await requireWebhookOwner(tx, call.actor, owner);
    await record(call, tx, { actor: call.actor, ownerId, action: 'webhook.deleted', webhook });
  });
}

/**
 * Queues one test delivery to a webhook.
 *
 * @returns the delivery's id
 * @throws NOT_FOUND, FORBIDDEN, UNPROCESSABLE if the webhook is disabled
 */
export async function testWebhook(
  call: Call,
  owner: WebhookOwner,
  id: string,
): Promise<{ id: string }> {
  const delivery = { id: call.newId(), eventId: null, createdAt: call.now() };
  await change(call, owner, async (tx) => {
    const webhook = await requireWebhook(tx, call.actor, owner, id);
    if (webhook.disabledAt !== null) {
      throw new ServiceError('UNPROCESSABLE', 'This webhook is disabled. Enable it first.');
    }
    await insertDeliveries(tx, [{ ...delivery, webhookId: webhook.id }]);
  });
  call.wakeWebhooks();
  return { id: delivery.id };
}

/** Lists a webhook's deliveries of the last 30 days, newest first. @throws NOT_FOUND, FORBIDDEN */
export async function getDeliveries(
  call: Call,
  { owner, id }: { owner: WebhookOwner; id: string },
  page: PageRequest,
): Promise<Page<DeliveryRow>> {
  const { read } = call.sql;
  return listDeliveries(read, (await requireWebhook(read, call.actor, owner, id)).id, page);
}

/** Writes an entry of the audit trail. Its path may be a secret, so the entry has only the host. */
async function record(
  context: Context,
  tx: Writer,
  done: {
    actor: Actor;
    ownerId: string;
    action: 'webhook.changed' | 'webhook.created' | 'webhook.deleted';
    webhook: WebhookRow;
  },
): Promise<void> {
  const { webhook, ...by } = done;
  const { id, types, url, disabledAt } = webhook;
  const detail = { webhook: id, types, enabled: disabledAt === null };
  const subject = new URL(url).host;
  await audit(context, tx, { ...by, subject, detail });
}

function change<T>(call: Call, owner: WebhookOwner, work: (tx: Writer) => Promise<T>): Promise<T> {
  return changeOwned(call, owner ?? call.actor.username, work);
}

/** @throws BAD_REQUEST */
function requireUrl(context: Context, text: string): string {
  const parsed = parseWebhookUrl(text, context.webhookPrivateAddresses);
  if ('url' in parsed) return parsed.url;
  throw new FieldError('BAD_REQUEST', 'url', `${parsed.problem}.`);
}

/** @returns the types in our order, separated by spaces. @throws BAD_REQUEST */
function requireTypes(types: readonly string[]): string {
  const known: readonly string[] = EVENT_TYPES;
  const unknown = types.find((type) => !known.includes(type));
  if (unknown !== undefined || types.length === 0) {
    const problem = unknown === undefined ? '' : `“${unknown}” is not a type: `;
    throw new FieldError(
      'BAD_REQUEST',
      'types',
      `${problem}choose at least one of ${EVENT_TYPES.join(', ')}.`,
    );
  }
  return EVENT_TYPES.filter((type: EventType) => types.includes(type)).join(' ');
}
