import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Actor, Context } from '../../core/context.ts';
import type { Reason } from '../../core/event/concerned.ts';
import { updateDocumentRead } from '../../core/event/feed-store.ts';
import { selectVisible } from './event-access.ts';
import { type InboxRow, listInbox, updateRead } from './inbox-store.ts';

/**
 * Lists what others did that concerns the actor, newest first. Leaves out events that the actor can
 * no longer see, but the total counts them.
 */
export async function getInbox(
  context: Context,
  actor: Actor,
  options: { onlyUnread: boolean; reason?: Reason | undefined },
  page: PageRequest,
): Promise<Page<InboxRow>> {
  const { read } = context.sql;
  const { items, total } = await listInbox(read, actor.id, options, page);
  return { items: await selectVisible(context, read, actor.id, items), total };
}

/** Marks the actor's entries up to a position as read. */
export async function markRead(context: Context, actor: Actor, until: number): Promise<void> {
  const entries = { accountId: actor.id, until, at: context.now() };
  await context.sql.transaction((tx) => updateRead(tx, entries));
}

/** Marks the actor's entries about a document as read. */
export async function markDocumentRead(
  context: Context,
  actor: Actor,
  documentId: string,
): Promise<void> {
  const entries = { accountId: actor.id, documentId, at: context.now() };
  await context.sql.transaction((tx) => updateDocumentRead(tx, entries));
}
