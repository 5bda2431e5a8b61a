import { randomInt } from 'node:crypto';
import type { Kind } from '../../base/schema/kind.ts';
import { nameFromHeading } from '../../base/text/document-name.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { aboutDocument, audit } from '../audit/audit.ts';
import { type Call, later } from '../context.ts';
import { insertEvent } from '../event/event-store.ts';
import { eventOf, revisionEvent } from '../event/new-event.ts';
import { requireVerified } from '../identity/sign-up-rules.ts';
import {
  type OwnerRef,
  requireCreatableOwner,
  requireStillCreatable,
} from '../owner/document-owner-service.ts';
import { changeOwned } from '../owner/owner-service.ts';
import { requirePublishable, requireTakeAway } from '../owner/policy-service.ts';
import { charge } from '../quota/quota-service.ts';
import { requireUnprotected } from '../review/protection-service.ts';
import { revisionOf, type WriteNote } from '../revision/write-note.ts';
import { requireDocument, requireDocumentWithContent, type Seen, see } from './authorize.ts';
import { discardBlobs, withNewBlob } from './blob-lifecycle.ts';
import { loadContent, storableText, storeContent } from './content.ts';
import { deleteTrashed, moveToTrash } from './deletion-store.ts';
import { type DocumentInput, requireName, requireVisibility } from './document-input.ts';
import type { DocumentRef } from './document-ref.ts';
import type { DocumentRow } from './document-store.ts';
import { type NewDocument, type StoredContent, storeNewDocument } from './document-write-store.ts';
import { type IfMatch, requireMatch } from './entity-tag.ts';
import { NameTaken, offeringFreeName } from './name-taken.ts';

/** A document with its content and the actor's level. */
export type WholeDocument = Seen<DocumentRow> & { text: string };

/** The most attempts to read a document whose content keeps being replaced. */
const READ_ATTEMPTS = 5;

/** The changed fields of a document's first revision. */
const ALL_FIELDS = ['content', 'name', 'visibility'];

/**
 * Requires that a new document can have its visibility there.
 *
 * @param document with an empty name if it gets one from its text
 * @throws FORBIDDEN, UNPROCESSABLE
 */
export async function requireNewVisibility(
  call: Call,
  db: Reader,
  document: Parameters<typeof requireUnprotected>[1],
): Promise<void> {
  const { ownerId, visibility } = document;
  if (visibility === 'public') {
    await requireVerified(call, db, call.actor, 'make a document public');
  }
  await requirePublishable(db, ownerId, visibility);
  await requireUnprotected(db, document);
}

/**
 * Returns a document with its content.
 *
 * @throws NOT_FOUND if it is missing or the actor can't read it
 */
export async function getDocument(call: Call, ref: DocumentRef): Promise<WholeDocument> {
  for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt++) {
    const seen = await requireDocumentWithContent(call.sql.read, call.actor, ref);
    const text = await loadContent(call, seen.document);
    if (text !== undefined) return { ...seen, text };
  }
  throw new Error(`The content of ${ref.kind} ${ref.owner}/${ref.name} cannot be found.`);
}

/**
 * Creates a document. In an organization, its creator becomes an admin collaborator.
 *
 * @throws NOT_FOUND, FORBIDDEN for the owner; UNAUTHORIZED if the actor's account is gone;
 *   BAD_REQUEST for the name or the visibility; CONTENT_TOO_LARGE; UNPROCESSABLE if the name is
 *   taken, or if a public document needs an approval there
 */
export async function createDocument(
  call: Call,
  kind: Kind,
  owner: OwnerRef,
  input: DocumentInput & { content: string },
  note: WriteNote = {},
): Promise<WholeDocument> {
  const { actor } = call;
  const { id: ownerId, type, namespace } = await requireCreatableOwner(call.sql.read, actor, owner);
  const visibility = input.visibility ?? 'public';
  requireVisibility(type, visibility);
  const givenName = input.name === undefined ? undefined : requireName(input.name);
  const text = storableText(kind, input.content);
  const content = await storeContent(call, kind, text);
  return withNewBlob(call, content?.storagePath, async () => {
    const name = givenName ?? (await generateName(call, content));
    const store = async (tx: Writer) => {
      const id = call.newId();
      const now = call.now();
      // Checked again inside the transaction: the account or the membership may have ended since.
      await requireStillCreatable(tx, actor, { ...owner, id: ownerId });
      const there = { ownerId, ownerType: type, kind, name, visibility };
      await requireNewVisibility(call, tx, there);
      const { sizeBytes: bytes } = content;
      await charge(call, tx, ownerId, { documents: 1, bytes }, 1);
      const row: NewDocument = {
        id,
        kind,
        ownerId,
        ownerType: type,
        name,
        visibility,
        version: 1,
        sizeBytes: content.sizeBytes,
        title: content.title,
        storagePath: content.storagePath,
        content: content.text,
        createdBy: actor.id,
        updatedBy: actor.id,
        createdAt: now,
        updatedAt: now,
        takenDownAt: null,
        takenDownReason: null,
        deletedBy: null,
        deletedAt: null,
      };
      const revision = { documentId: id, version: 1, changed: ALL_FIELDS, at: now };
      const isStored = await storeNewDocument(
        tx,
        row,
        {
          revision: revisionOf(actor, revision, note),
          event: revisionEvent(call, { ...revision, ownerId }),
        },
        type === 'organization'
          ? {
              id: call.newId(),
              documentId: id,
              accountId: actor.id,
              permission: 'admin',
              addedAt: now,
            }
          : undefined,
      );
      if (!isStored) {
        const who = ownerId === actor.id ? 'you' : namespace;
        throw new NameTaken({ ownerId, owner: who, kind, name });
      }
      const document: DocumentRow = {
        ...row,
        ownerNamespace: namespace,
        actorId: actor.id,
        // The owner or an admin collaborator is an admin; other sources don't matter.
        permission: type === 'organization' ? 'admin' : null,
        role: null,
        defaultBriefPermission: null,
        ownerDisabledAt: null,
      };
      if (visibility !== 'private') {
        const about = { ...aboutDocument(document), detail: { visibility } };
        await audit(call, tx, { action: 'document.created', actor, ...about });
      }
      await note.alongside?.(tx, document);
      return { ...see(document), text };
    };
    const created = await offeringFreeName(call.sql.read, () =>
      changeOwned(call, owner.namespace, store),
    );
    call.documentChanged();
    return created;
  });
}

/**
 * Moves a document to the trash, with its collaborators and history, for `TRASH_DAYS`. If that is
 * 0, deletes it for good. Its name becomes free, and its secret links and pending invitations end.
 *
 * @returns its id, and until when it can be restored; `null` if it is deleted for good. One that is
 *   taken down can be restored only once an administrator has ended that
 * @throws NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED
 */
export async function deleteDocument(
  call: Call,
  ref: DocumentRef,
  ifMatch: IfMatch,
): Promise<{ id: string; restorableUntil: string | null; isTakenDown: boolean }> {
  const { id, restorableUntil, isTakenDown, storagePaths } = await changeOwned(
    call,
    ref.owner,
    async (tx) => {
      const { document } = await requireDocument(tx, call.actor, ref, 'delete');
      if (call.trashMs === 0) {
        await requireTakeAway(tx, document, 'delete its documents for good');
      }
      requireMatch(ifMatch, document);
      const { id } = document;
      const isTakenDown = document.takenDownAt !== null;
      const now = call.now();
      await moveToTrash(tx, { id, deletedBy: call.actor.id, deletedAt: now });
      const detail = { forGood: call.trashMs === 0 };
      await audit(call, tx, {
        action: 'document.deleted',
        actor: call.actor,
        ...aboutDocument(document),
        detail,
      });
      if (call.trashMs === 0) {
        const { storagePaths } = await deleteTrashed(tx, [id]);
        return { id, restorableUntil: null, isTakenDown, storagePaths };
      }
      const { ownerId } = document;
      const type = 'document.deleted';
      await insertEvent(tx, eventOf(call, { documentId: id, ownerId, type, at: now }));
      const restorableUntil = later(now, call.trashMs);
      return { id, restorableUntil, isTakenDown, storagePaths: [] };
    },
  );
  call.documentChanged();
  await discardBlobs(call, storagePaths);
  return { id, restorableUntil, isTakenDown };
}

/** Generates a new document's name from its title, or a random one. */
async function generateName(call: Call, { text, title }: StoredContent): Promise<string> {
  const heading = text === null ? title : await call.markdown.firstHeading(call.actor.id, text);
  const name = heading ? nameFromHeading(heading) : undefined;
  const suffix = randomInt(36 ** 6).toString(36);
  return name ?? `untitled-${suffix.padStart(6, '0')}`;
}
