import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';

export type DisabledBecause = NonNullable<Tables['webhook']['disabled_because']>;

/** A webhook without its secrets. */
export interface WebhookRow {
  id: string;
  url: string;
  /** Event types, separated by spaces. */
  types: string;
  /** The creator's username; `null` if the account is gone. */
  createdBy: string | null;
  previousUntil: string | null;
  failingSince: string | null;
  disabledAt: string | null;
  disabledBecause: DisabledBecause | null;
  createdAt: string;
}

function rowsOf(db: Reader, ownerId: string) {
  return db
    .selectFrom('webhook')
    .leftJoin('owner as creator', 'creator.id', 'webhook.account_id')
    .where('webhook.owner_id', '=', ownerId)
    .select([
      'webhook.id',
      'webhook.url',
      'webhook.types',
      'creator.namespace as createdBy',
      'webhook.previous_until as previousUntil',
      'webhook.failing_since as failingSince',
      'webhook.disabled_at as disabledAt',
      'webhook.disabled_because as disabledBecause',
      'webhook.created_at as createdAt',
    ]);
}

/** Lists an owner's webhooks, newest first. */
export async function listWebhooks(
  db: Reader,
  ownerId: string,
  page: PageRequest,
): Promise<Page<WebhookRow>> {
  return paginate(rowsOf(db, ownerId), 'webhook.id', page);
}

export async function findWebhook(
  db: Reader,
  ownerId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  return rowsOf(db, ownerId).where('webhook.id', '=', id).executeTakeFirst();
}

/**
 * Lists the enabled webhooks of these owners, except of disabled accounts. Locks the webhooks until
 * the transaction ends.
 */
export async function listEnabledWebhooks(
  db: Writer,
  ownerIds: readonly string[],
): Promise<{ id: string; ownerId: string; types: string }[]> {
  return (
    db
      .selectFrom('webhook')
      .leftJoin('account', 'account.id', 'webhook.owner_id')
      .where('webhook.owner_id', 'in', ownerIds)
      .where('webhook.disabled_at', 'is', null)
      .where('account.disabled_at', 'is', null)
      .select(['webhook.id', 'webhook.owner_id as ownerId', 'webhook.types'])
      .orderBy('webhook.id')
      // Locked, so that no webhook is deleted before its deliveries are inserted.
      .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forKeyShare('webhook'))
      .execute()
  );
}

export async function insertWebhook(
  db: Writer,
  webhook: {
    id: string;
    ownerId: string;
    accountId: string;
    url: string;
    types: string;
    secret: string;
    createdAt: string;
  },
): Promise<void> {
  const { id, url, types, secret } = webhook;
  await db
    .insertInto('webhook')
    .values({
      id,
      url,
      types,
      secret,
      owner_id: webhook.ownerId,
      account_id: webhook.accountId,
      created_at: webhook.createdAt,
    })
    .execute();
}

/** Changes the given fields of a webhook. */
export async function updateWebhook(
  db: Writer,
  id: string,
  { url, types }: { url?: string | undefined; types?: string | undefined },
): Promise<void> {
  const changes = { ...(url !== undefined && { url }), ...(types !== undefined && { types }) };
  if (Object.keys(changes).length === 0) return;
  await db.updateTable('webhook').set(changes).where('id', '=', id).execute();
}

/** Replaces a webhook's secret. The old one also signs until `previousUntil`. */
export async function updateSecret(
  db: Writer,
  id: string,
  { secret, previousUntil }: { secret: string; previousUntil: string },
): Promise<void> {
  await db
    .updateTable('webhook')
    .set(({ ref }) => ({
      previous_secret: ref('secret'),
      previous_until: previousUntil,
      secret,
    }))
    .where('id', '=', id)
    .execute();
}

export async function updateEnabled(db: Writer, id: string): Promise<void> {
  await db
    .updateTable('webhook')
    .set({ disabled_at: null, disabled_because: null, failing_since: null })
    .where('id', '=', id)
    .execute();
}

/** Disables a webhook, unless it already is. Marks its pending deliveries as failed. */
export async function updateDisabled(
  db: Writer,
  id: string,
  { because, at }: { because: DisabledBecause; at: string },
): Promise<void> {
  await db
    .updateTable('webhook')
    .set({ disabled_at: at, disabled_because: because })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .execute();
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'failed', next_at: null, fault: 'disabled' })
    .where('webhook_id', '=', id)
    .where('status', '=', 'pending')
    .execute();
}

/** Sets since when a webhook has been failing, unless that is set; `null` clears it. */
export async function updateFailingSince(
  db: Writer,
  id: string,
  since: string | null,
): Promise<void> {
  await db
    .updateTable('webhook')
    .set({ failing_since: since })
    .where('id', '=', id)
    .where('failing_since', since === null ? 'is not' : 'is', null)
    .execute();
}

/** Deletes a webhook with its deliveries. */
export async function deleteWebhook(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('webhook').where('id', '=', id).execute();
}
