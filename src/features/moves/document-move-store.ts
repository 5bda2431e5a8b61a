import type { OwnerType, Visibility } from '../../base/schema/visibility.ts';
import { deleteAlias, insertAlias } from '../../core/document/document-alias-store.ts';
import type { DocumentBefore } from '../../core/document/document-write-store.ts';
import { touchLabels } from '../../core/document/label-store.ts';
import { insertEvent, type NewEvent } from '../../core/event/event-store.ts';
import { insertPending } from '../../core/outbox/search-pending-store.ts';
import { holdAddress, inheritProtection } from '../../core/review/protection-store.ts';
import { insertRevision, type NewRevision } from '../../core/revision/revision-store.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { deletePin } from '../pins/pin-store.ts';

/** Where a document is moved: its new owner, name and visibility. */
export interface Destination {
  ownerId: string;
  ownerType: OwnerType;
  name: string;
  visibility: Visibility;
}

/**
 * Gives a document to another owner, unpins it and increments its version. The old address
 * redirects to the new one. The name must be free at the new owner.
 */
export async function storeMove(
  db: Writer,
  before: DocumentBefore & { name: string },
  to: Destination,
  by: { actorId: string; now: string },
  { revision, event }: { revision: NewRevision; event: NewEvent },
): Promise<void> {
  const { id, kind } = before;
  await holdAddress(db, id);
  await db
    .updateTable('stored_document')
    .set((row) => ({
      ownerId: to.ownerId,
      ownerType: to.ownerType,
      name: to.name,
      visibility: to.visibility,
      version: row('version', '+', 1),
      updatedBy: by.actorId,
      updatedAt: by.now,
    }))
    .where('id', '=', id)
    .execute();
  await touchLabels(db, id);
  await deletePin(db, id);
  await deleteAlias(db, { ownerId: to.ownerId, kind, name: to.name });
  await inheritProtection(db, { documentId: id, ownerId: to.ownerId, kind, name: to.name });
  await insertAlias(db, { ...before, documentId: id });
  await insertRevision(db, revision);
  await insertEvent(db, event);
  await insertPending(db, id);
}
