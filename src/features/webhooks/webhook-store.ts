import type { Insertable } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';

export type DisabledBecause = NonNullable<Tables['webhook']['disabledBecause']>;

/** A webhook without its secrets. */
export type WebhookRow = RowOf<typeof rowsOf>;

function rowsOf(db: Reader, ownerId: string) {
  return db
    .selectFrom('webhook')
    .leftJoin('owner as creator', 'creator.id', 'webhook.accountId')
    .where('webhook.ownerId', '=', ownerId)
    .select([
      'webhook.id',
      'webhook.url',
      'webhook.types',
      // The creator's username; `null` if the account is gone.
      'creator.namespace as createdBy',
      'webhook.previousUntil',
      'webhook.failingSince',
      'webhook.disabledAt',
      'webhook.disabledBecause',
      'webhook.createdAt',
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
      .leftJoin('account', 'account.id', 'webhook.ownerId')
      .where('webhook.ownerId', 'in', ownerIds)
      .where('webhook.disabledAt', 'is', null)
      .where('account.disabledAt', 'is', null)
      .select(['webhook.id', 'webhook.ownerId', 'webhook.types'])
      .orderBy('webhook.id')
      // Locked, so that no webhook is deleted before its deliveries are inserted.
      .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forKeyShare('webhook'))
      .execute()
  );
}

export async function insertWebhook(
  db: Writer,
  webhook: Insertable<Tables['webhook']>,
): Promise<void> {
  await db.insertInto('webhook').values(webhook).execute();
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
      previousSecret: ref('secret'),
      previousUntil,
      secret,
    }))
    .where('id', '=', id)
    .execute();
}

export async function updateEnabled(db: Writer, id: string): Promise<void> {
  await db
    .updateTable('webhook')
    .set({ disabledAt: null, disabledBecause: null, failingSince: null })
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
    .set({ disabledAt: at, disabledBecause: because })
    .where('id', '=', id)
    .where('disabledAt', 'is', null)
    .execute();
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'failed', nextAt: null, fault: 'disabled' })
    .where('webhookId', '=', id)
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
    .set({ failingSince: since })
    .where('id', '=', id)
    .where('failingSince', since === null ? 'is not' : 'is', null)
    .execute();
}

export async function deleteWebhook(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('webhook').where('id', '=', id).execute();
}
