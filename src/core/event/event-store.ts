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
