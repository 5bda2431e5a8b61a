import { prepared } from '../../storage/sql/prepared.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import type { NewEvent } from './event.ts';

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
 * Stores an event in the transaction of what happened. The caller calls `context.wakeFeed()` after
 * the commit.
 */
export async function insertEvent(db: Writer, event: NewEvent): Promise<void> {
  await inserted(db, event);
}
