import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Actor, Context } from '../../core/context.ts';
import { updateDocumentRead } from '../../core/event/feed-store.ts';
import { selectVisible } from './event-access.ts';
import {
  type InboxRow,
  type InboxView,
  listInbox,
  updateDocumentLater,
  updateLater,
  updateRead,
} from './inbox-store.ts';

/**
 * Lists what others did that concerns the actor, newest first. Leaves out events that the actor can
 * no longer see, but the total counts them.
 */
export async function getInbox(
  context: Context,
  actor: Actor,
  view: InboxView,
  page: PageRequest,
): Promise<Page<InboxRow>> {
  const { read } = context.sql;
  const { items, total } = await listInbox(read, actor.id, { view, now: context.now() }, page);
  return { items: await selectVisible(context, read, actor.id, items), total };
}

/** Marks the actor's entries up to a position as read. */
export async function markRead(context: Context, actor: Actor, until: number): Promise<void> {
  const entries = { accountId: actor.id, until, at: context.now() };
  await context.sql.transaction((tx) => updateRead(tx, entries));
}

/** Marks the actor's entries about a document as read, also what is put off. */
export async function markDocumentRead(
  context: Context,
  actor: Actor,
  documentId: string,
): Promise<void> {
  const entries = { accountId: actor.id, documentId, at: context.now(), withLater: true };
  await context.sql.transaction((tx) => updateDocumentRead(tx, entries));
}

/**
 * Puts off the actor's unread entries about a document: they leave the inbox, and come back unread.
 *
 * @param until ISO 8601; `null` brings them back now
 */
export async function putOffDocument(
  context: Context,
  actor: Actor,
  documentId: string,
  until: string | null,
): Promise<void> {
  const entries = { accountId: actor.id, documentId, until };
  await context.sql.transaction((tx) => updateDocumentLater(tx, entries));
}

/** Does the same for one entry, whether it has been read or not. @throws NOT_FOUND */
export async function putOff(
  context: Context,
  actor: Actor,
  position: number,
  until: string | null,
): Promise<void> {
  const entry = { accountId: actor.id, position, until };
  const isFound = await context.sql.transaction((tx) => updateLater(tx, entry));
  if (!isFound) throw new FieldError('NOT_FOUND', 'position', 'your inbox has no such entry.');
}
