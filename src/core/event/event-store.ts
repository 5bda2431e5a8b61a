import { sql } from 'kysely';
import type { EventType, NewEvent } from '../../base/schema/event.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Reason } from './concerned.ts';

const inserted = prepared<NewEvent, unknown>((db, parameter) =>
  db.insertInto('event').values({
    id: parameter('id'),
    document_id: parameter('documentId'),
    owner_id: parameter('ownerId'),
    type: parameter('type'),
    account_id: parameter('accountId'),
    via: parameter('via'),
    via_name: parameter('viaName'),
    version: parameter('version'),
    first_version: parameter('firstVersion'),
    thread_id: parameter('threadId'),
    target_id: parameter('targetId'),
    mentions: parameter('mentions'),
    at: parameter('at'),
    position: null,
  }),
);

/**
 * Stores an event in the transaction of the change that it reports. The caller calls
 * `context.wakeFeed()` after the commit.
 */
export async function insertEvent(db: Writer, event: NewEvent): Promise<void> {
  await inserted(db, event);
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
  /** The first version of the sitting in the editor that `version` ends. */
  firstVersion: number | null;
  /** The usernames of those who wrote that sitting with the author. */
  coAuthors: string[];
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

/** Those who wrote an event's sitting with its author, separated by spaces. */
export const coAuthors = sql<string | null>`case when event.first_version is not null then (
  select string_agg(namespace, ' ') from (
    select namespace from owner as writer
    where writer.id <> coalesce(event.account_id, '') and writer.id in (
      select account_id from revision
      where revision.document_id = event.document_id and revision.sitting_id is not null
        and revision.version between event.first_version and event.version
      union
      select account_id from co_writer
      where co_writer.document_id = event.document_id
        and co_writer.version between event.first_version and event.version)
    order by namespace) as writers) end`;

/** An event as the database returns it. */
type StoredEvent = Omit<EventRow, 'coAuthors'> & { coAuthors: string | null };

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
    .innerJoin('stored_document as document', 'document.id', 'event.document_id')
    .innerJoin('owner', 'owner.id', 'document.owner_id')
    .leftJoin('owner as author', 'author.id', 'event.account_id')
    .leftJoin('owner as target', 'target.id', 'event.target_id')
    .select([
      'event.position',
      'event.type',
      'event.document_id as documentId',
      'document.kind',
      'owner.namespace as owner',
      'document.name',
      'document.title',
      'event.account_id as accountId',
      'author.namespace as author',
      'event.via',
      'event.via_name as viaName',
      'event.version',
      'event.first_version as firstVersion',
      coAuthors.as('coAuthors'),
      'event.thread_id as threadId',
      'target.namespace as target',
      'event.at',
    ])
    .$castTo<StoredEvent>();
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
      .where('event.document_id', 'in', documentIds)
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
        join.onRef('inbox.position', '=', 'event.position').on('inbox.account_id', '=', accountId),
      )
      .where('inbox.position', '>', after)
      .select('inbox.reason')
      .orderBy('inbox.position')
      .limit(limit),
  );
}
