import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { EventType } from '../../base/schema/event.ts';
import { coAuthors } from '../../core/event/event-store.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
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
        webhook_id: webhookId,
        event_id: eventId,
        status: 'pending' as const,
        attempt: 0,
        next_at: createdAt,
        created_at: createdAt,
      })),
    )
    .execute();
}

/** A delivery for display. */
export interface DeliveryRow {
  id: string;
  /** `null` for a test. */
  type: EventType | null;
  status: Tables['webhook_delivery']['status'];
  attempts: number;
  nextAt: string | null;
  code: number | null;
  fault: Tables['webhook_delivery']['fault'];
  createdAt: string;
  attemptedAt: string | null;
}

/** Lists a webhook's deliveries, newest first. */
export async function listDeliveries(
  db: Reader,
  webhookId: string,
  page: PageRequest,
): Promise<Page<DeliveryRow>> {
  const rows = db
    .selectFrom('webhook_delivery')
    .leftJoin('event', 'event.id', 'webhook_delivery.event_id')
    .where('webhook_delivery.webhook_id', '=', webhookId)
    .select([
      'webhook_delivery.id',
      'event.type',
      'webhook_delivery.status',
      'webhook_delivery.attempt as attempts',
      'webhook_delivery.next_at as nextAt',
      'webhook_delivery.code',
      'webhook_delivery.fault',
      'webhook_delivery.created_at as createdAt',
      'webhook_delivery.attempted_at as attemptedAt',
    ]);
  return paginate(rows, 'webhook_delivery.id', page);
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
    .where('next_at', '<=', parameter('now'))
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
    .innerJoin('webhook', 'webhook.id', 'webhook_delivery.webhook_id')
    .leftJoin('account', 'account.id', 'webhook.owner_id')
    .where('webhook_delivery.status', '=', sql.lit('pending'))
    .where('webhook_delivery.next_at', '<=', options.now)
    .where('webhook.disabled_at', 'is', null)
    .where('account.disabled_at', 'is', null)
    .select(({ fn }) => [
      'webhook_delivery.id',
      'webhook_delivery.webhook_id as webhookId',
      fn.coalesce('webhook.account_id', 'webhook.owner_id').as('accountId'),
      'webhook_delivery.next_at as nextAt',
      sql<number>`row_number() over (partition by webhook_delivery.webhook_id
        order by webhook_delivery.next_at, webhook_delivery.id)`.as('number'),
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
    .set({ next_at: until })
    .where('id', '=', id)
    .where('status', '=', sql.lit('pending'))
    .where('next_at', '=', nextAt)
    .returning('id')
    .execute();
  return claimed.length === 1;
}

/** The content of a delivery, and its address. */
export interface Sendable {
  url: string;
  secret: string;
  previousSecret: string | null;
  previousUntil: string | null;
  failingSince: string | null;
  attempt: number;
  /** When the delivery was created. */
  createdAt: string;
  /** `null` for a test. */
  eventId: string | null;
  type: EventType | null;
  at: string | null;
  documentId: string | null;
  kind: 'brief' | 'page' | null;
  owner: string;
  /** `null` if the document is gone for good, or has another owner. */
  name: string | null;
  version: number | null;
  firstVersion: number | null;
  threadId: string | null;
  actor: string | null;
  /** Usernames, separated by spaces. */
  coAuthors: string | null;
  via: 'web' | 'token' | 'application' | null;
}

/** Finds a delivery's content; `undefined` if it, its webhook or its event is gone. */
export async function findSendable(db: Reader, id: string): Promise<Sendable | undefined> {
  return (
    db
      .selectFrom('webhook_delivery')
      .innerJoin('webhook', 'webhook.id', 'webhook_delivery.webhook_id')
      .innerJoin('owner', 'owner.id', 'webhook.owner_id')
      .leftJoin('event', 'event.id', 'webhook_delivery.event_id')
      // If the document has another owner by now, its former owner must not learn its name, which
      // may be a new one.
      .leftJoin('stored_document as document', (join) =>
        join
          .onRef('document.id', '=', 'event.document_id')
          .onRef('document.owner_id', '=', 'webhook.owner_id'),
      )
      .leftJoin('owner as actor', 'actor.id', 'event.account_id')
      .where('webhook_delivery.id', '=', id)
      .select([
        'webhook.url',
        'webhook.secret',
        'webhook.previous_secret as previousSecret',
        'webhook.previous_until as previousUntil',
        'webhook.failing_since as failingSince',
        'webhook_delivery.attempt',
        'webhook_delivery.created_at as createdAt',
        'webhook_delivery.event_id as eventId',
        'event.type',
        'event.at',
        'event.document_id as documentId',
        'document.kind',
        'owner.namespace as owner',
        'document.name',
        'event.version',
        'event.first_version as firstVersion',
        coAuthors.as('coAuthors'),
        'event.thread_id as threadId',
        'actor.namespace as actor',
        'event.via',
      ])
      .$castTo<Sendable>()
      .executeTakeFirst()
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
      next_at: nextAt,
      code,
      fault,
      attempted_at: at,
    }))
    .where('id', '=', id)
    .where('next_at', '=', claimedUntil)
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
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .select('id');
  const deleted = await db
    .deleteFrom('webhook_delivery')
    .where('id', 'in', old)
    .returning('id')
    .execute();
  return deleted.length;
}
