import {
  type BackgroundLoop,
  type LoopState,
  startLoop,
} from '../../base/threads/background-loop.ts';
import type { Context } from '../../core/context.ts';
import { concernedBy, type WatchLevel } from '../../core/event/concerned.ts';
import {
  findFeedState,
  listNews,
  lockFeed,
  type PlacedEvent,
  placeNext,
  updatePosition,
} from '../../core/event/feed-store.ts';
import { type MailableEvent, queueEventMails } from '../../core/outbox/queue-service.ts';
import { listSittingWriters } from '../../core/revision/revision-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { insertDeliveries, type NewDelivery } from '../webhooks/webhook-delivery-store.ts';
import { listEnabledWebhooks } from '../webhooks/webhook-store.ts';
import { createEventCheck } from './event-access.ts';
import { type InboxEntry, insertInbox } from './inbox-store.ts';
import { insertWatches, listWatchers } from './watch-store.ts';

/** How often a process looks for events, including those of other processes. */
const EVERY_MS = 1_000;

/**
 * How long a process waits after its own write, so that it places several events at once: while
 * requests wait for events, and otherwise.
 */
const GATHER_MS = { waitedFor: 25, otherwise: 250 };

/** How long a process waits while the database is down. */
const WHILE_AWAY_MS = 10_000;

/**
 * Places events in the background and wakes the requests that wait for them.
 *
 * @param onFailure called on failures; the feed retries after a while
 */
export function startFeed(context: Context, onFailure: (error: unknown) => void): BackgroundLoop {
  /** The last position that waiting requests were woken for. */
  let wokenUntil: number | undefined;

  async function step({ isStopping }: LoopState): Promise<undefined> {
    let { position, hasUnplaced } = await findFeedState(context.sql.read);
    while (hasUnplaced && !isStopping()) {
      const { deliveries } = await placeEvents(context);
      if (deliveries > 0) context.wakeWebhooks();
      ({ position, hasUnplaced } = await findFeedState(context.sql.read));
    }
    if (wokenUntil !== undefined && position > wokenUntil && context.feedWaiters.isWaitedFor()) {
      const { documentIds, accountIds } = await listNews(context.sql.read, wokenUntil);
      context.feedWaiters.wake(documentIds.map((id) => `document:${id}` as const));
      context.feedWaiters.wake(accountIds.map((id) => `account:${id}` as const));
    }
    wokenUntil = position;
  }

  const gatherMs = () =>
    context.feedWaiters.isWaitedFor() ? GATHER_MS.waitedFor : GATHER_MS.otherwise;
  const times = { everyMs: EVERY_MS, gatherMs, whileAwayMs: WHILE_AWAY_MS };
  const loop = startLoop({ step, ...times, onFailure });
  context.wakeFeed = loop.wake;
  return loop;
}

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
    const authors = await authorsOf(tx, events);
    const entries = await inboxEntries(context, tx, events, authors);
    await insertInbox(tx, entries);
    await queueEventMails(context, tx, entries);
    await insertWatches(tx, [...authors].flatMap(watchesOf));
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

type Authors = ReadonlyMap<PlacedEvent, readonly string[]>;

/** Finds the accounts that caused each event: all that wrote a sitting in the editor. */
async function authorsOf(db: Reader, events: readonly PlacedEvent[]): Promise<Authors> {
  const authors = new Map<PlacedEvent, string[]>();
  for (const event of events) {
    const { documentId, accountId, firstVersion: from, version: to } = event;
    const others =
      from === null || to === null ? [] : await listSittingWriters(db, documentId, { from, to });
    authors.set(event, [...new Set(accountId === null ? others : [accountId, ...others])]);
  }
  return authors;
}

const watchesOf = ([{ documentId }, authors]: [PlacedEvent, readonly string[]]) =>
  authors.map((accountId) => ({ documentId, accountId }));

async function inboxEntries(
  context: Context,
  tx: Reader,
  events: readonly PlacedEvent[],
  authors: Authors,
): Promise<(InboxEntry & MailableEvent)[]> {
  const watchersOf = new Map<string, Map<string, WatchLevel>>();
  for (const { documentId } of events) watchersOf.set(documentId, new Map());
  for (const { documentId, accountId, level } of await listWatchers(tx, [...watchersOf.keys()])) {
    watchersOf.get(documentId)?.set(accountId, level);
  }
  const canSee = createEventCheck(context, tx, events);
  const entries: (InboxEntry & MailableEvent)[] = [];
  for (const event of events) {
    const { position, documentId, type, targetId, threadId, mentions, at } = event;
    const accountIds = authors.get(event) ?? [];
    const watchers = watchersOf.get(documentId) ?? new Map<string, WatchLevel>();
    const happening = { accountIds, targetId, mentions: mentions?.split(' ') ?? [] };
    for (const [concerned, reason] of concernedBy(happening, watchers)) {
      const isOwn = accountIds.includes(concerned);
      if (!isOwn && !(await canSee(event, concerned))) continue;
      const entry = { accountId: concerned, position, reason, readAt: isOwn ? at : null };
      entries.push({ ...entry, documentId, type, threadId });
    }
    // The authors watch the document from now on. Later batches read that from the database.
    for (const author of accountIds) if (!watchers.has(author)) watchers.set(author, 'all');
  }
  return entries;
}
