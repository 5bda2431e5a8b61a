import { sql } from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Reason, WatchLevel } from './concerned.ts';
import type { EventType } from './event.ts';

const state = prepared<object, { position: number | null; hasUnplaced: number | boolean }>((db) =>
  db.selectNoFrom(({ exists, selectFrom }) => [
    selectFrom('feed').select('position').as('position'),
    exists(selectFrom('event').where('position', 'is', null).select('id')).as('hasUnplaced'),
  ]),
);

/** Returns the newest position, and whether events wait to be placed. */
export async function findFeedState(
  db: Reader,
): Promise<{ position: number; hasUnplaced: boolean }> {
  const [row] = await state(db, {});
  return { position: row?.position ?? 0, hasUnplaced: Boolean(row?.hasUnplaced) };
}

/** Returns the position up to which events are removed. */
export async function findRemovedUntil(db: Reader): Promise<number> {
  const row = await db.selectFrom('feed').select('removed_until as until').executeTakeFirst();
  return row?.until ?? 0;
}

/** Returns the newest position and prevents others from placing events until the transaction ends. */
export async function lockFeed(db: Writer): Promise<number> {
  await db
    .insertInto('feed')
    .values({ id: 1, position: 0, removed_until: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { position } = await db
    .selectFrom('feed')
    .select('position')
    .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return position;
}

export async function updatePosition(db: Writer, position: number): Promise<void> {
  await db.updateTable('feed').set({ position }).execute();
}

/** An event that has just been given its position. */
export interface PlacedEvent {
  id: string;
  position: number;
  documentId: string;
  ownerId: string;
  type: EventType;
  accountId: string | null;
  targetId: string | null;
  threadId: string | null;
  /** Account ids, separated by spaces. */
  mentions: string | null;
  at: string;
}

const placed = prepared<{ after: number; limit: number }, PlacedEvent>((db, parameter) => {
  const waiting = db
    .selectFrom('event')
    .where('position', 'is', null)
    .select([
      'id',
      sql<number>`cast(${parameter('after')} as integer) + row_number() over (order by id)`.as(
        'number',
      ),
    ])
    .orderBy('id')
    .limit(parameter('limit'));
  return db
    .updateTable('event')
    .from(waiting.as('waiting'))
    .whereRef('event.id', '=', 'waiting.id')
    .set(({ ref }) => ({ position: ref('waiting.number') }))
    .returning([
      'event.id',
      'event.position',
      'event.document_id as documentId',
      'event.owner_id as ownerId',
      'event.type',
      'event.account_id as accountId',
      'event.target_id as targetId',
      'event.thread_id as threadId',
      'event.mentions',
      'event.at',
    ])
    .$castTo<PlacedEvent>();
});

/** Numbers events after a position, in the order of their ids. @returns them in that order */
export async function placeNext(db: Writer, after: number, limit: number): Promise<PlacedEvent[]> {
  const events = await placed(db, { after, limit });
  return events.toSorted((one, other) => one.position - other.position);
}

/** Makes authors watch their documents, unless they have chosen a level. */
export async function insertWatches(
  db: Writer,
  watches: readonly { documentId: string; accountId: string }[],
): Promise<void> {
  if (watches.length === 0) return;
  await db
    .insertInto('watch')
    .values(
      watches.map(({ documentId, accountId }) => ({
        ...{ document_id: documentId, account_id: accountId },
        level: 'all' as const,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lists who watches documents. A user watches their own. */
export async function listWatchers(
  db: Reader,
  documentIds: readonly string[],
): Promise<{ documentId: string; accountId: string; level: WatchLevel }[]> {
  const owners = (table: 'document' | 'trashed_document') =>
    db
      .selectFrom(table)
      .where('id', 'in', documentIds)
      .where('owner_type', '=', 'user')
      .select(['id as documentId', 'owner_id as accountId', sql.lit('all').as('level')])
      .$castTo<{ documentId: string; accountId: string; level: WatchLevel }>();
  const chosen = await db
    .selectFrom('watch')
    .where('document_id', 'in', documentIds)
    .select(['document_id as documentId', 'account_id as accountId', 'level'])
    .execute();
  const byOwning = await owners('document').unionAll(owners('trashed_document')).execute();
  return [...byOwning, ...chosen];
}

export interface InboxEntry {
  accountId: string;
  position: number;
  reason: Reason;
  /** When it was read. Set at once if the account caused the event. */
  readAt: string | null;
}

export async function insertInbox(db: Writer, entries: readonly InboxEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await db
    .insertInto('inbox')
    .values(
      entries.map(({ accountId, position, reason, readAt }) => ({
        ...{ account_id: accountId, position, reason },
        read_at: readAt,
      })),
    )
    .execute();
}

/** Lists what is new after a position: documents with events, and accounts that they concern. */
export async function listNews(
  db: Reader,
  after: number,
): Promise<{ documentIds: string[]; accountIds: string[] }> {
  const documents = await db
    .selectFrom('event')
    .where('position', '>', after)
    .select('document_id as id')
    .distinct()
    .execute();
  const accounts = await db
    .selectFrom('inbox')
    .where('position', '>', after)
    .select('account_id as id')
    .distinct()
    .execute();
  return { documentIds: documents.map(({ id }) => id), accountIds: accounts.map(({ id }) => id) };
}

export interface EventRow {
  position: number;
  type: EventType;
  documentId: string;
  kind: 'brief' | 'page';
  owner: string;
  name: string;
  title: string | null;
  accountId: string | null;
  /** A username; `null` if the account is gone. */
  author: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
  version: number | null;
  threadId: string | null;
  /** The username of the requested reviewer. */
  target: string | null;
  at: string;
}

/** Events in the order they happened, and where to continue. */
export interface Events {
  events: (EventRow & { reason?: Reason })[];
  /** The position for the next request. */
  cursor: number;
  /** Whether events after the requested position have been deleted. */
  reset: boolean;
}

/** Starts a query of placed events with what they show. */
export function eventRows(db: Reader) {
  return db
    .selectFrom('event')
    .leftJoin('document', 'document.id', 'event.document_id')
    .leftJoin('trashed_document', 'trashed_document.id', 'event.document_id')
    .innerJoin('owner', (join) =>
      join.on('owner.id', '=', (now) =>
        now.fn.coalesce('document.owner_id', 'trashed_document.owner_id'),
      ),
    )
    .leftJoin('owner as author', 'author.id', 'event.account_id')
    .leftJoin('owner as target', 'target.id', 'event.target_id')
    .where((event) =>
      event.or([
        event('document.id', 'is not', null),
        event('trashed_document.id', 'is not', null),
      ]),
    )
    .select(({ fn }) => [
      'event.position',
      'event.type',
      'event.document_id as documentId',
      fn.coalesce('document.kind', 'trashed_document.kind').as('kind'),
      'owner.namespace as owner',
      fn.coalesce('document.name', 'trashed_document.name').as('name'),
      fn.coalesce('document.title', 'trashed_document.title').as('title'),
      'event.account_id as accountId',
      'author.namespace as author',
      'event.via',
      'event.via_name as viaName',
      'event.version',
      'event.thread_id as threadId',
      'target.namespace as target',
      'event.at',
    ])
    .$castTo<EventRow>();
}

/** Events after a position, oldest first. */
export interface Stretch {
  after: number;
  limit: number;
}

export async function listDocumentEvents(
  db: Reader,
  documentIds: readonly string[],
  { after, limit }: Stretch,
): Promise<EventRow[]> {
  return eventRows(db)
    .where('event.document_id', 'in', documentIds)
    .where('event.position', '>', after)
    .orderBy('event.position')
    .limit(limit)
    .execute();
}

export async function listConcerning(
  db: Reader,
  accountId: string,
  { after, limit }: Stretch,
): Promise<(EventRow & { reason: Reason })[]> {
  return eventRows(db)
    .innerJoin('inbox', (join) =>
      join.onRef('inbox.position', '=', 'event.position').on('inbox.account_id', '=', accountId),
    )
    .where('inbox.position', '>', after)
    .select('inbox.reason')
    .orderBy('inbox.position')
    .limit(limit)
    .execute() as Promise<(EventRow & { reason: Reason })[]>;
}

/** Deletes the events before a time, at most `limit`, with their inbox entries. @returns how many */
export async function deleteOldEvents(db: Writer, before: string, limit: number): Promise<number> {
  const oldest = await db
    .selectFrom('event')
    .where('position', 'is not', null)
    .select(['position', 'at'])
    .orderBy('position')
    .limit(limit)
    .$castTo<{ position: number; at: string }>()
    .execute();
  const firstKept = oldest.findIndex(({ at }) => at >= before);
  const old = firstKept === -1 ? oldest : oldest.slice(0, firstKept);
  const until = old.at(-1)?.position;
  if (until === undefined) return 0;
  await db.deleteFrom('inbox').where('position', '<=', until).execute();
  await db.deleteFrom('event').where('position', '<=', until).execute();
  await db.updateTable('feed').set({ removed_until: until }).execute();
  return old.length;
}
