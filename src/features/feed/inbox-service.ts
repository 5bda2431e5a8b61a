import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Call } from '../../core/context.ts';
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
  call: Call,
  view: InboxView,
  page: PageRequest,
): Promise<Page<InboxRow>> {
  const { read } = call.sql;
  const { items, total } = await listInbox(read, call.actor.id, { view, now: call.now() }, page);
  return { items: await selectVisible(call, read, call.actor.id, items), total };
}

/**
 * Marks the actor's entries up to a position as read, but not those that organizations hide from the
 * actor's program.
 */
export async function markRead(call: Call, until: number): Promise<void> {
  const except = await hiddenPositions(call, { from: 1, until });
  const entries = { accountId: call.actor.id, until, at: call.now(), except };
  await call.sql.transaction((tx) => updateRead(tx, entries));
}

/** Finds the entries that the actor can't see because an organization shuts the program out. */
async function hiddenPositions(
  call: Call,
  range: { from: number; until: number },
): Promise<number[]> {
  const { actor, sql } = call;
  const { closedOwners = [] } = actor;
  if (closedOwners.length === 0) return [];
  const ownerIds = closedOwners.map(({ id }) => id);
  const entries = await listEntriesOf(sql.read, { accountId: actor.id, ownerIds, ...range });
  const visible = new Set(await selectVisible(call, sql.read, actor.id, entries));
  return entries.filter((entry) => !visible.has(entry)).map(({ position }) => position);
}

/** Marks the actor's entries about a document as read, also what is put off. */
export async function markDocumentRead(call: Call, documentId: string): Promise<void> {
  const entries = { accountId: call.actor.id, documentId, at: call.now(), withLater: true };
  await call.sql.transaction((tx) => updateDocumentRead(tx, entries));
}

/**
 * Puts off the actor's unread entries about a document: they leave the inbox, and come back unread.
 *
 * @param until ISO 8601; `null` brings them back now
 */
export async function putOffDocument(
  call: Call,
  documentId: string,
  until: string | null,
): Promise<void> {
  const entries = { accountId: call.actor.id, documentId, until };
  await call.sql.transaction((tx) => updateDocumentLater(tx, entries));
}

/** Does the same for one entry, whether it has been read or not. @throws NOT_FOUND */
export async function putOff(call: Call, position: number, until: string | null): Promise<void> {
  const entry = { accountId: call.actor.id, position, until };
  const hidden = await hiddenPositions(call, { from: position, until: position });
  const isFound =
    hidden.length === 0 && (await call.sql.transaction((tx) => updateLater(tx, entry)));
  if (!isFound) throw new FieldError('NOT_FOUND', 'position', 'your inbox has no such entry.');
}
