import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { EventType } from '../../base/schema/event.ts';
import type { Reason } from '../../core/event/concerned.ts';
import { type EventRow, eventRows, listEvents } from '../../core/event/event-store.ts';
import { positionsOf } from '../../core/event/feed-store.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

export type InboxRow = EventRow & {
  reason: Reason;
  readAt: string | null;
  /** Until when it is put off; also in the past. */
  laterUntil: string | null;
};

/**
 * Which entries of an inbox to list: all, what is unread, requests for reviews, mentions, answers to
 * what somebody wrote or asked, or what is put off. Only the last has entries that are put off.
 */
export const INBOX_VIEWS = ['all', 'unread', 'review', 'mention', 'answer', 'later'] as const;
export type InboxView = (typeof INBOX_VIEWS)[number];

/** Events that answer something. */
const ANSWERS = [
  'comment.added',
  'suggestion.accepted',
  'suggestion.rejected',
  'review.given',
] as const satisfies EventType[];

/** Lists what others did that concerns an account, newest first. @param asked.now ISO 8601 */
export async function listInbox(
  db: Reader,
  accountId: string,
  { view, now }: { view: InboxView; now: string },
  page: PageRequest,
): Promise<Page<InboxRow>> {
  // Counts and skips entries first. Joining all of them with events and documents would be slow.
  const entries = db
    .selectFrom('inbox')
    .where('accountId', '=', accountId)
    .where('reason', '<>', 'own')
    .$if(view === 'later', (query) => query.where('laterUntil', '>', now))
    .$if(view !== 'later', (query) =>
      query.where((is) => is.or([is('laterUntil', 'is', null), is('laterUntil', '<=', now)])),
    )
    .$if(view === 'unread', (query) => query.where('readAt', 'is', null))
    .$if(view === 'review' || view === 'mention', (query) =>
      query.where('reason', '=', view as Reason),
    )
    .$if(view === 'answer', (query) =>
      query.where((is) =>
        is.exists(
          is
            .selectFrom('event')
            .whereRef('event.position', '=', 'inbox.position')
            .where('event.type', 'in', ANSWERS)
            .select('event.id'),
        ),
      ),
    )
    .select(['position', 'reason', 'readAt', 'laterUntil']);
  const { items, total } = await paginate(entries, 'position', page);
  const positions = items.map(({ position }) => position);
  const events =
    items.length === 0
      ? []
      : await listEvents(eventRows(db).where('event.position', 'in', positions));
  const byPosition = new Map(events.map((event) => [event.position, event]));
  const rows = items.flatMap(({ position, reason, readAt, laterUntil }) => {
    const event = byPosition.get(position);
    return event ? [{ ...event, reason, readAt, laterUntil }] : [];
  });
  return { items: rows, total };
}

/** Lists an account's unread entries at some positions, oldest first. */
export async function listUnreadAt(
  db: Reader,
  accountId: string,
  positions: readonly number[],
): Promise<EventRow[]> {
  return listEvents(
    eventRows(db)
      .innerJoin('inbox', 'inbox.position', 'event.position')
      .where('inbox.accountId', '=', accountId)
      .where('inbox.readAt', 'is', null)
      .where('inbox.position', 'in', positions)
      .orderBy('event.position'),
  );
}

/** An account's entry, as far as it matters who can see its event. */
export type SeeableEntry = Pick<
  EventRow,
  'position' | 'documentId' | 'type' | 'accountId' | 'threadId' | 'version' | 'at'
>;

/** Lists an account's entries about documents of some owners, from one position to another. */
export async function listEntriesOf(
  db: Reader,
  {
    accountId,
    ownerIds,
    from,
    until,
  }: { accountId: string; ownerIds: readonly string[]; from: number; until: number },
): Promise<SeeableEntry[]> {
  return db
    .selectFrom('inbox')
    .innerJoin('event', 'event.position', 'inbox.position')
    .innerJoin('stored_document as document', 'document.id', 'event.documentId')
    .where('inbox.accountId', '=', accountId)
    .where('inbox.position', '>=', from)
    .where('inbox.position', '<=', until)
    .where('document.ownerId', 'in', ownerIds)
    .select([
      'inbox.position',
      'event.documentId',
      'event.type',
      'event.accountId',
      'event.threadId',
      'event.version',
      'event.at',
    ])
    .execute();
}

/**
 * Marks entries up to a position as read, but not what is put off.
 *
 * @param except the positions of entries to leave as they are
 */
export async function updateRead(
  db: Writer,
  {
    accountId,
    until,
    at,
    except,
  }: { accountId: string; until: number; at: string; except: readonly number[] },
): Promise<void> {
  await db
    .updateTable('inbox')
    .set({ readAt: at })
    .where('accountId', '=', accountId)
    .where('position', '<=', until)
    .where('readAt', 'is', null)
    .where((is) => is.or([is('laterUntil', 'is', null), is('laterUntil', '<=', at)]))
    .where('position', 'in', positionsIn(db, accountId))
    .$if(except.length > 0, (query) =>
      query.where(sql<boolean>`cast(position as text) not in (
        ${capabilitiesOf(db).idsIn(sql`${JSON.stringify(except.map(String))}`)})`),
    )
    .execute();
}

/**
 * Puts off an account's unread entries about a document, or no longer.
 *
 * @param until ISO 8601; `null` brings them back now
 */
export async function updateDocumentLater(
  db: Writer,
  { accountId, documentId, until }: { accountId: string; documentId: string; until: string | null },
): Promise<void> {
  await db
    .updateTable('inbox')
    .set({ laterUntil: until })
    .where('accountId', '=', accountId)
    .where('reason', '<>', 'own')
    .where('readAt', 'is', null)
    .where('position', 'in', positionsOf(db, documentId))
    .execute();
}

/**
 * Puts off one entry, which is then unread, or brings it back.
 *
 * @returns whether the account has the entry
 */
export async function updateLater(
  db: Writer,
  { accountId, position, until }: { accountId: string; position: number; until: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('inbox')
    .set({ laterUntil: until, readAt: null })
    .where('accountId', '=', accountId)
    .where('position', '=', position)
    .where('position', 'in', positionsIn(db, accountId))
    .where('reason', '<>', 'own')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Selects an account's entries that the handle reads: an update isn't narrowed, what it selects is. */
function positionsIn(db: Reader, accountId: string) {
  return db.selectFrom('inbox').where('accountId', '=', accountId).select('position');
}

export type InboxEntry = Omit<Row<'inbox'>, 'laterUntil'>;

export async function insertInbox(db: Writer, entries: readonly InboxEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await db
    .insertInto('inbox')
    .values(
      entries.map(({ accountId, position, reason, readAt }) => ({
        accountId,
        position,
        reason,
        readAt,
      })),
    )
    .execute();
}
