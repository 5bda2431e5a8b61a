import type { Actor, Context } from '../../core/context.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { WatchLevel } from '../../core/event/concerned.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { deleteWatch, findWatch, hasWorkedOn, upsertWatch } from './watch-store.ts';

/**
 * Returns which events of a document reach the actor's inbox. The default is everything for
 * documents that the actor owns, wrote or commented on, and mentions and review requests for all
 * others.
 *
 * @throws NOT_FOUND if the document is missing or the actor can't read it
 */
export async function getWatchLevel(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<WatchLevel> {
  const { document } = await requireDocument(context.sql.read, actor, ref, 'read');
  const watcher = { documentId: document.id, accountId: actor.id };
  const chosen = await findWatch(context.sql.read, watcher);
  return chosen ?? (document.ownerId === actor.id ? 'all' : 'mentions');
}

/**
 * Sets which events of a document the actor wants in the inbox; `undefined` returns to the default,
 * see {@link getWatchLevel}.
 *
 * @throws NOT_FOUND if the document is missing or the actor can't read it
 */
export async function setWatchLevel(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  level: WatchLevel | undefined,
): Promise<void> {
  await changeOwned(context, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, actor, ref, 'read');
    const watcher = { documentId: document.id, accountId: actor.id };
    const chosen = level ?? ((await hasWorkedOn(tx, watcher)) ? 'all' : undefined);
    if (chosen === undefined) await deleteWatch(tx, watcher);
    else await upsertWatch(tx, watcher, chosen);
  });
}
