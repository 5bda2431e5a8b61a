import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { coAuthors } from '../../core/event/event-store.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Outcome } from './retry.ts';

/** A delivery to create: an event for a webhook. */
export interface NewDelivery {
  id: string;
  webhookId: string;
  /** `null` for a test. */
  eventId: string | null;
  createdAt: string;
}

/** Stores deliveries, due now. */
export async function insertDeliveries(
  db: Writer,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  await db
    .insertInto('webhook_delivery')
    .values(
      deliveries.map(({ id, webhookId, eventId, createdAt }) => ({
        id,
        webhookId,
        eventId,
        status: 'pending' as const,
        attempt: 0,
        nextAt: createdAt,
        createdAt,
      })),
    )
    .execute();
}

export type DeliveryRow = RowOf<typeof deliveries>;

function deliveries(db: Reader, webhookId: string) {
  return db
    .selectFrom('webhook_delivery')
    .leftJoin('event', 'event.id', 'webhook_delivery.eventId')
    .where('webhook_delivery.webhookId', '=', webhookId)
    .select([
      'webhook_delivery.id',
      'event.type',
      'webhook_delivery.status',
      'webhook_delivery.attempt as attempts',
      'webhook_delivery.nextAt',
      'webhook_delivery.code',
      'webhook_delivery.fault',
      'webhook_delivery.createdAt',
      'webhook_delivery.attemptedAt',
    ]);
}

/** Lists a webhook's deliveries, newest first. */
export async function listDeliveries(
  db: Reader,
  webhookId: string,
  page: PageRequest,
): Promise<Page<DeliveryRow>> {
  return paginate(deliveries(db, webhookId), 'webhook_delivery.id', page);
}

/** A delivery's state when it was listed, so that only one process can claim it. */
export interface DueDelivery {
  id: string;
  webhookId: string;
  /** Who created the webhook; its owner if that account is gone. */
  accountId: string;
  nextAt: string;
}

const anyDue = prepared<{ now: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom('webhook_delivery')
    .where('status', '=', sql.lit('pending'))
    .where('nextAt', '<=', parameter('now'))
    .select('id')
    .limit(1),
);

/**
 * Tells whether a delivery is due, of any webhook. Costs far less than {@link listDue}, so a process
 * can ask often.
 */
export async function hasDue(db: Reader, now: string): Promise<boolean> {
  return (await anyDue(db, { now })).length > 0;
}

/**
 * Lists due deliveries: the longest due of each account first, then the second of each, and so on.
 * At most `perWebhook` of each webhook and `perAccount` of each account's webhooks, so that slow
 * ones don't delay the others.
 *
 * @param options.without accounts to leave out
 */
export async function listDue(
  db: Reader,
  options: {
    now: string;
    limit: number;
    perWebhook: number;
    perAccount: number;
    without: readonly string[];
  },
): Promise<DueDelivery[]> {
  const due = db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook', 'webhook.id', 'webhook_delivery.webhookId')
    .leftJoin('account', 'account.id', 'webhook.ownerId')
    .where('webhook_delivery.status', '=', sql.lit('pending'))
    .where('webhook_delivery.nextAt', '<=', options.now)
    .where('webhook.disabledAt', 'is', null)
    .where('account.disabledAt', 'is', null)
    .select(({ fn }) => [
      'webhook_delivery.id',
      'webhook_delivery.webhookId',
      fn.coalesce('webhook.accountId', 'webhook.ownerId').as('accountId'),
      'webhook_delivery.nextAt',
      sql<number>`row_number() over (partition by webhook_delivery."webhookId"
        order by webhook_delivery."nextAt", webhook_delivery.id)`.as('number'),
    ]);
  const perWebhook = db
    .selectFrom(due.as('due'))
    .where('number', '<=', options.perWebhook)
    .$if(options.without.length > 0, (rows) => rows.where('accountId', 'not in', options.without))
    .select([
      ...(['id', 'webhookId', 'accountId', 'nextAt'] as const),
      sql<number>`row_number() over (partition by "accountId" order by "nextAt", "id")`.as('turn'),
    ]);
  return db
    .selectFrom(perWebhook.as('perWebhook'))
    .where('turn', '<=', options.perAccount)
    .select(['id', 'webhookId', 'accountId', 'nextAt'])
    .orderBy('turn')
    .orderBy('nextAt')
    .orderBy('id')
    .limit(options.limit)
    .$castTo<DueDelivery>()
    .execute();
}

/** Claims a delivery until a time. @returns whether its state was unchanged */
export async function claimDelivery(
  db: Writer,
  { id, nextAt }: DueDelivery,
  until: string,
): Promise<boolean> {
  const claimed = await db
    .updateTable('webhook_delivery')
    .set({ nextAt: until })
    .where('id', '=', id)
    .where('status', '=', sql.lit('pending'))
    .where('nextAt', '=', nextAt)
    .returning('id')
    .execute();
  return claimed.length === 1;
}

/** The content of a delivery, and its address. */
export type Sendable = RowOf<typeof sendables>;

/** Finds a delivery's content; `undefined` if it, its webhook or its event is gone. */
export async function findSendable(db: Reader, id: string): Promise<Sendable | undefined> {
  return sendables(db).where('webhook_delivery.id', '=', id).executeTakeFirst();
}

function sendables(db: Reader) {
  return (
    db
      .selectFrom('webhook_delivery')
      .innerJoin('webhook', 'webhook.id', 'webhook_delivery.webhookId')
      .innerJoin('owner', 'owner.id', 'webhook.ownerId')
      .leftJoin('event', 'event.id', 'webhook_delivery.eventId')
      // If the document has another owner by now, its former owner must not learn its name, which
      // may be a new one.
      .leftJoin('stored_document as document', (join) =>
        join
          .onRef('document.id', '=', 'event.documentId')
          .onRef('document.ownerId', '=', 'webhook.ownerId'),
      )
      .leftJoin('owner as actor', 'actor.id', 'event.accountId')
      .select([
        'webhook.url',
        'webhook.secret',
        'webhook.previousSecret',
        'webhook.previousUntil',
        'webhook.failingSince',
        'webhook_delivery.attempt',
        'webhook_delivery.createdAt',
        'webhook_delivery.eventId',
        'event.type',
        'event.at',
        'event.documentId',
        'document.kind',
        'owner.namespace as owner',
        'document.name',
        'event.version',
        'event.firstVersion',
        coAuthors.as('coAuthors'),
        'event.threadId',
        'actor.namespace as actor',
        'event.via',
      ])
  );
}

/** Stores how an attempt ended. @returns whether the sender's claim still held */
export async function updateOutcome(
  db: Writer,
  { id, claimedUntil, at }: { id: string; claimedUntil: string; at: string },
  { status, nextAt, code, fault }: Outcome,
): Promise<boolean> {
  const updated = await db
    .updateTable('webhook_delivery')
    .set(({ eb }) => ({
      attempt: eb('attempt', '+', 1),
      status,
      nextAt,
      code,
      fault,
      attemptedAt: at,
    }))
    .where('id', '=', id)
    .where('nextAt', '=', claimedUntil)
    .returning('id')
    .execute();
  return updated.length === 1;
}

/** Deletes deliveries that were created before a time, at most `limit`. @returns how many */
export async function deleteOldDeliveries(
  db: Writer,
  before: string,
  limit: number,
): Promise<number> {
  const old = db
    .selectFrom('webhook_delivery')
    .where('createdAt', '<', before)
    .orderBy('createdAt')
    .limit(limit)
    .select('id');
  const deleted = await db
    .deleteFrom('webhook_delivery')
    .where('id', 'in', old)
    .returning('id')
    .execute();
  return deleted.length;
}
