import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Reason } from '../../core/event/concerned.ts';
import { type EventRow, eventRows, listEvents } from '../../core/event/event-store.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

export type InboxRow = EventRow & { reason: Reason; readAt: string | null };

/** Lists what others did that concerns an account, newest first. */
export async function listInbox(
  db: Reader,
  accountId: string,
  { onlyUnread, reason }: { onlyUnread: boolean; reason?: Reason | undefined },
  page: PageRequest,
): Promise<Page<InboxRow>> {
  // Counts and skips entries first. Joining all of them with events and documents would be slow.
  const entries = db
    .selectFrom('inbox')
    .where('account_id', '=', accountId)
    .where('reason', '<>', 'own')
    .$if(onlyUnread, (query) => query.where('read_at', 'is', null))
    .$if(reason !== undefined, (query) => query.where('reason', '=', reason as Reason))
    .select(['position', 'reason', 'read_at as readAt']);
  const { items, total } = await paginate(entries, 'position', page);
  const positions = items.map(({ position }) => position);
  const events =
    items.length === 0
      ? []
      : await listEvents(eventRows(db).where('event.position', 'in', positions));
  const byPosition = new Map(events.map((event) => [event.position, event]));
  const rows = items.flatMap(({ position, reason, readAt }) => {
    const event = byPosition.get(position);
    return event ? [{ ...event, reason, readAt }] : [];
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
      .where('inbox.account_id', '=', accountId)
      .where('inbox.read_at', 'is', null)
      .where('inbox.position', 'in', positions)
      .orderBy('event.position'),
  );
}

/** Marks entries up to a position as read. */
export async function updateRead(
  db: Writer,
  { accountId, until, at }: { accountId: string; until: number; at: string },
): Promise<void> {
  await db
    .updateTable('inbox')
    .set({ read_at: at })
    .where('account_id', '=', accountId)
    .where('position', '<=', until)
    .where('read_at', 'is', null)
    .execute();
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
        account_id: accountId,
        position,
        reason,
        read_at: readAt,
      })),
    )
    .execute();
}
