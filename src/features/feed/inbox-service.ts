import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Actor, Context } from '../../core/context.ts';
import { updateDocumentRead } from '../../core/event/feed-store.ts';
import { selectVisible } from './event-access.ts';
import {
  type InboxRow,
  type InboxView,
  listEntriesOf,
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

/**
 * Marks the actor's entries up to a position as read, but not those that organizations hide from the
 * actor's program.
 */
export async function markRead(context: Context, actor: Actor, until: number): Promise<void> {
  const except = await hiddenPositions(context, actor, { from: 1, until });
  const entries = { accountId: actor.id, until, at: context.now(), except };
  await context.sql.transaction((tx) => updateRead(tx, entries));
}

/** Finds the entries that the actor can't see because an organization shuts the program out. */
async function hiddenPositions(
  context: Context,
  { id: accountId, closedOwners = [] }: Actor,
  range: { from: number; until: number },
): Promise<number[]> {
  if (closedOwners.length === 0) return [];
  const { read } = context.sql;
  const ownerIds = closedOwners.map(({ id }) => id);
  const entries = await listEntriesOf(read, { accountId, ownerIds, ...range });
  const visible = new Set(await selectVisible(context, read, accountId, entries));
  return entries.filter((entry) => !visible.has(entry)).map(({ position }) => position);
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
  const hidden = await hiddenPositions(context, actor, { from: position, until: position });
  const isFound =
    hidden.length === 0 && (await context.sql.transaction((tx) => updateLater(tx, entry)));
  if (!isFound) throw new FieldError('NOT_FOUND', 'position', 'your inbox has no such entry.');
}
