import { type NotNull, sql } from 'kysely';
import type { Means } from '../../base/schema/means.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Reason } from './concerned.ts';

export type NewEvent = Omit<Row<'event'>, 'position' | 'accountId' | 'via'> & {
  accountId: string;
  via: Means;
};

const inserted = prepared<NewEvent, unknown>((db, parameter) =>
  db.insertInto('event').values({
    id: parameter('id'),
    documentId: parameter('documentId'),
    ownerId: parameter('ownerId'),
    type: parameter('type'),
    accountId: parameter('accountId'),
    via: parameter('via'),
    viaName: parameter('viaName'),
    version: parameter('version'),
    firstVersion: parameter('firstVersion'),
    threadId: parameter('threadId'),
    targetId: parameter('targetId'),
    mentions: parameter('mentions'),
    at: parameter('at'),
    position: null,
  } satisfies Record<keyof Row<'event'>, unknown>),
);

/**
 * Stores an event in the transaction of the change that it reports. The caller calls
 * `context.wakeFeed()` after the commit.
 */
export async function insertEvent(db: Writer, event: NewEvent): Promise<void> {
  await inserted(db, event);
}

/** An event, with the usernames of those who wrote its sitting with its author. */
export type EventRow = Omit<StoredEvent, 'coAuthors'> & { coAuthors: string[] };

/** Events in the order they happened, and where to continue. */
export interface Events {
  events: (EventRow & { reason?: Reason })[];
  /** The position for the next request. */
  cursor: number;
  /** Whether events may be missing: they were deleted, or the feed hasn't come to the position. */
  reset: boolean;
}

/** Those who wrote an event's sitting with its author, separated by spaces. */
export const coAuthors = sql<string | null>`case when event."firstVersion" is not null then (
  select string_agg(namespace, ' ') from (
    select namespace from owner as writer
    where writer.id <> coalesce(event."accountId", '') and writer.id in (
      select "accountId" from revision
      where revision."documentId" = event."documentId" and revision."sittingId" is not null
        and revision.version between event."firstVersion" and event.version
      union
      select "accountId" from co_writer
      where co_writer."documentId" = event."documentId"
        and co_writer.version between event."firstVersion" and event.version)
    order by namespace) as writers) end`;

type StoredEvent = RowOf<typeof eventRows>;

/** Runs a query of {@link eventRows}. */
export async function listEvents<Event extends StoredEvent>(query: {
  execute(): Promise<Event[]>;
}): Promise<(Omit<Event, 'coAuthors'> & { coAuthors: string[] })[]> {
  const events = await query.execute();
  return events.map((event) => ({ ...event, coAuthors: event.coAuthors?.split(' ') ?? [] }));
}

/**
 * Starts a query of events with the names that they show. Leaves out events of documents that are
 * gone, even from the trash. The caller restricts it to placed events.
 */
export function eventRows(db: Reader) {
  return db
    .selectFrom('event')
    .innerJoin('stored_document as document', 'document.id', 'event.documentId')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .leftJoin('owner as author', 'author.id', 'event.accountId')
    .leftJoin('owner as target', 'target.id', 'event.targetId')
    .select([
      'event.position',
      'event.type',
      'event.documentId',
      'document.kind',
      'owner.namespace as owner',
      'document.name',
      'document.title',
      'event.accountId',
      'author.namespace as author',
      'event.via',
      'event.viaName',
      'event.version',
      'event.firstVersion',
      coAuthors.as('coAuthors'),
      'event.threadId',
      'target.namespace as target',
      'event.at',
    ])
    .$narrowType<{ position: NotNull }>();
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
  return listEvents(
    eventRows(db)
      .where('event.documentId', 'in', documentIds)
      .where('event.position', '>', after)
      .orderBy('event.position')
      .limit(limit),
  );
}

export async function listConcerning(
  db: Reader,
  accountId: string,
  { after, limit }: Stretch,
): Promise<(EventRow & { reason: Reason })[]> {
  return listEvents(
    eventRows(db)
      .innerJoin('inbox', (join) =>
        join.onRef('inbox.position', '=', 'event.position').on('inbox.accountId', '=', accountId),
      )
      .where('inbox.position', '>', after)
      .select('inbox.reason')
      .orderBy('inbox.position')
      .limit(limit),
  );
}
