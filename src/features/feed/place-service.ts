import type { Context } from '../../core/context.ts';
import { concernedBy, type WatchLevel } from '../../core/event/concerned.ts';
import {
  lockFeed,
  type PlacedEvent,
  placeNext,
  updatePosition,
} from '../../core/event/feed-store.ts';
import { type MailableEvent, queueEventMails } from '../../core/outbox/queue-service.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { insertDeliveries, type NewDelivery } from '../webhooks/webhook-delivery-store.ts';
import { listEnabledWebhooks } from '../webhooks/webhook-store.ts';
import { createEventCheck } from './event-access.ts';
import { type InboxEntry, insertInbox } from './inbox-store.ts';
import { insertWatches, listWatchers } from './watch-store.ts';

/** How many events one transaction places. */
const BATCH = 200;

/**
 * Gives committed events their positions in the feed, adds them to the inboxes of everyone they
 * concern, and queues their mails and webhook deliveries. Only one transaction at a time does this,
 * across processes, so positions have no gaps and become visible in order.
 *
 * @returns how many events were placed, and how many deliveries are due for them; more may be
 *   waiting
 */
export async function placeEvents(
  context: Context,
): Promise<{ events: number; deliveries: number }> {
  return context.sql.transaction(async (tx) => {
    const position = await lockFeed(tx);
    const events = await placeNext(tx, position, BATCH);
    if (events.length === 0) return { events: 0, deliveries: 0 };
    const entries = await inboxEntries(context, tx, events);
    await insertInbox(tx, entries);
    await queueEventMails(context, tx, entries);
    await insertWatches(tx, authorsOf(events));
    const deliveries = await deliveriesOf(context, tx, events);
    await insertDeliveries(tx, deliveries);
    await updatePosition(tx, position + events.length);
    return { events: events.length, deliveries: deliveries.length };
  });
}

/** Lists what to send to the webhooks of the documents' owners. */
async function deliveriesOf(
  context: Context,
  tx: Writer,
  events: readonly PlacedEvent[],
): Promise<NewDelivery[]> {
  const webhooks = await listEnabledWebhooks(tx, [
    ...new Set(events.map((event) => event.ownerId)),
  ]);
  const createdAt = context.now();
  return events.flatMap(({ id: eventId, ownerId, type }) =>
    webhooks
      .filter((webhook) => webhook.ownerId === ownerId && webhook.types.split(' ').includes(type))
      .map(({ id: webhookId }) => ({ id: context.newId(), webhookId, eventId, createdAt })),
  );
}

/** Lists the author and document of each event, without duplicates. */
function authorsOf(events: readonly PlacedEvent[]) {
  const authors = new Map<string, { documentId: string; accountId: string }>();
  for (const { documentId, accountId } of events) {
    if (accountId !== null) authors.set(`${documentId} ${accountId}`, { documentId, accountId });
  }
  return [...authors.values()];
}

async function inboxEntries(
  context: Context,
  tx: Reader,
  events: readonly PlacedEvent[],
): Promise<(InboxEntry & MailableEvent)[]> {
  const watchersOf = new Map<string, Map<string, WatchLevel>>();
  for (const { documentId } of events) watchersOf.set(documentId, new Map());
  for (const { documentId, accountId, level } of await listWatchers(tx, [...watchersOf.keys()])) {
    watchersOf.get(documentId)?.set(accountId, level);
  }
  const canSee = createEventCheck(context, tx, events);
  const entries: (InboxEntry & MailableEvent)[] = [];
  for (const event of events) {
    const { position, documentId, type, accountId, targetId, threadId, mentions, at } = event;
    const watchers = watchersOf.get(documentId) ?? new Map<string, WatchLevel>();
    const happening = { accountId, targetId, mentions: mentions?.split(' ') ?? [] };
    for (const [concerned, reason] of concernedBy(happening, watchers)) {
      const isOwn = concerned === accountId;
      if (!isOwn && !(await canSee(event, concerned))) continue;
      const entry = { accountId: concerned, position, reason, readAt: isOwn ? at : null };
      entries.push({ ...entry, documentId, type, threadId });
    }
    // The author watches the document from now on. Later batches read that from the database.
    if (accountId !== null && !watchers.has(accountId)) watchers.set(accountId, 'all');
  }
  return entries;
}
