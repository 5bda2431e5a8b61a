import type { Actor, Context } from '../../context.ts';
import type { Page, PageRequest } from '../../pagination/result-page.ts';
import { canKnow, createStandings } from './event-access.ts';
import { countUnread, type InboxRow, listInbox, updateRead } from './inbox-store.ts';

/** More unread entries are shown as "99+". */
const MAX_COUNTED = 100;

/**
 * Lists what others did that concerns the actor, newest first. Leaves out documents that the actor
 * can no longer read.
 */
export async function getInbox(
  context: Context,
  actor: Actor,
  options: { onlyUnread: boolean },
  page: PageRequest,
): Promise<Page<InboxRow>> {
  const { read } = context.sql;
  const { items, total } = await listInbox(read, actor.id, options, page);
  const standingOf = createStandings(context, read);
  const known = await Promise.all(
    items.map(async ({ documentId, type }) =>
      canKnow(await standingOf(documentId, actor.id), type),
    ),
  );
  return { items: items.filter((_, index) => known[index]), total };
}

/** Counts the actor's unread entries, at most 100. */
export async function countUnreadEntries(context: Context, actor: Actor): Promise<number> {
  return countUnread(context.sql.read, actor.id, MAX_COUNTED);
}

/** Marks the actor's entries up to a position as read. */
export async function markRead(context: Context, actor: Actor, until: number): Promise<void> {
  const entries = { accountId: actor.id, until, at: context.now() };
  await context.sql.transaction((tx) => updateRead(tx, entries));
}
