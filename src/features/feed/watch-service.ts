import type { Call } from '../../core/context.ts';
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
export async function getWatchLevel(call: Call, ref: DocumentRef): Promise<WatchLevel> {
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'read');
  const watcher = { documentId: document.id, accountId: call.actor.id };
  const chosen = await findWatch(call.sql.read, watcher);
  return chosen ?? (document.ownerId === call.actor.id ? 'all' : 'mentions');
}

/**
 * Sets which events of a document the actor wants in the inbox; `undefined` returns to the default,
 * see {@link getWatchLevel}.
 *
 * @throws NOT_FOUND if the document is missing or the actor can't read it
 */
export async function setWatchLevel(
  call: Call,
  ref: DocumentRef,
  level: WatchLevel | undefined,
): Promise<void> {
  await changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, call.actor, ref, 'read');
    const watcher = { documentId: document.id, accountId: call.actor.id };
    const chosen = level ?? ((await hasWorkedOn(tx, watcher)) ? 'all' : undefined);
    if (chosen === undefined) await deleteWatch(tx, watcher);
    else await upsertWatch(tx, watcher, chosen);
  });
}
