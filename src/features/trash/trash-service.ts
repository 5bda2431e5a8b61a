import { FieldError } from '../../base/errors.ts';
import { mapPage, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { aboutDocument, audit } from '../../core/audit/audit.ts';
import { bestEffortWrite } from '../../core/best-effort-write.ts';
import { type Actor, type Call, type Context, later } from '../../core/context.ts';
import { decide } from '../../core/document/access-rules.ts';
import { see } from '../../core/document/authorize.ts';
import { discardBlobs } from '../../core/document/blob-lifecycle.ts';
import { loadContent } from '../../core/document/content.ts';
import { type Deleted, deleteTrashed, moveFromTrash } from '../../core/document/deletion-store.ts';
import { deleteAlias, insertAlias } from '../../core/document/document-alias-store.ts';
import { requireName } from '../../core/document/document-input.ts';
import { getDocument, type WholeDocument } from '../../core/document/document-service.ts';
import { findDocumentWithContent, isNameTaken } from '../../core/document/document-store.ts';
import { NameTaken, offeringFreeName } from '../../core/document/name-taken.ts';
import { TakenDown } from '../../core/document/taken-down.ts';
import { insertEvent } from '../../core/event/event-store.ts';
import { eventOf } from '../../core/event/new-event.ts';
import { saveTyped } from '../../core/live/typed-service.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { mayPublish, requireTakeAway, takeable } from '../../core/owner/policy-service.ts';
import { charge } from '../../core/quota/quota-service.ts';
import { requireArrival, requireRenamable } from '../../core/review/protection-service.ts';
import { inheritProtection } from '../../core/review/protection-store.ts';
import { insertRevision } from '../../core/revision/revision-store.ts';
import { revisionOf } from '../../core/revision/write-note.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { unpinSurplus } from '../pins/pin-service.ts';
import { findTrashed, listExpired, listTrash, type TrashedRow } from './trash-store.ts';

/** A deleted document that can be restored. */
export interface TrashedDocument extends TrashedRow {
  /** When it is deleted for good. */
  expiresAt: string;
}

/** A deleted document in a list. */
export interface ListedTrashed extends TrashedDocument {
  /** Whether the actor can delete it for good. */
  canPurge: boolean;
}

/** How many documents one transaction of the sweep deletes. */
const SWEEP_BATCH = 50;

/**
 * Lists the deleted documents that the actor owned or managed as a collaborator, latest deleted
 * first.
 */
export async function listOwnTrash(call: Call, page: PageRequest): Promise<Page<ListedTrashed>> {
  const list = { actorId: call.actor.id, after: expiredUntil(call) };
  return listed(call, await listTrash(call.sql.read, list, page));
}

async function listed(context: Context, page: Page<TrashedRow>): Promise<Page<ListedTrashed>> {
  const free = await takeable(context.sql.read, page.items);
  const toTrashed = withExpiry(context);
  return mapPage(page, (row) => ({ ...toTrashed(row), canPurge: free.has(row) }));
}

/**
 * Lists an organization's deleted documents that the actor can restore: all of them for admins, and
 * for other members those that they managed as a collaborator.
 *
 * @throws NOT_FOUND, FORBIDDEN unless the actor is a member
 */
export async function listOrganizationTrash(
  call: Call,
  org: string,
  page: PageRequest,
): Promise<Page<ListedTrashed>> {
  const { read } = call.sql;
  const { id: organizationId, role } = await requireAllowed(read, call.actor, 'seeTrash', org);
  const list = {
    actorId: call.actor.id,
    organizationId,
    isAdmin: role === 'admin',
    after: expiredUntil(call),
  };
  return listed(call, await listTrash(read, list, page));
}

/**
 * Returns a deleted document that the actor could have deleted.
 *
 * @throws NOT_FOUND also for those who could only read it, so that nothing reveals that it existed
 */
export async function requireTrashed(
  call: Call,
  id: string,
  db: Reader = call.sql.read,
): Promise<TrashedDocument> {
  const query = { id: normaliseId(id), actorId: call.actor.id, after: expiredUntil(call) };
  const row = await findTrashed(db, query);
  if (!row || decide(row, 'delete') !== 'allow') throw notInTrash();
  return withExpiry(call)(row);
}

/**
 * Restores a deleted document with its id, version, history, visibility and collaborators. Under
 * another name, it gets a new version.
 *
 * @param name the new name; by default the former one
 * @throws NOT_FOUND; BAD_REQUEST for the name; UNPROCESSABLE if the owner has another document of
 *   this name, or it would be public and its organization allows no public documents; TakenDown
 */
export async function restoreDocument(
  call: Call,
  id: string,
  name?: string,
): Promise<WholeDocument> {
  const { ownerNamespace } = await requireRestorable(call, id);
  const givenName = name === undefined ? undefined : requireName(name);
  const restored = await offeringFreeName(call.sql.read, () =>
    changeOwned(call, ownerNamespace, (tx) => moveBack(call, tx, id, givenName)),
  );
  call.documentChanged();
  const { kind, name: restoredName } = restored.document;
  const ref = { kind, owner: ownerNamespace, name: restoredName };
  // What was typed until the document was deleted.
  let typed: number | undefined;
  await bestEffortWrite(call, async () => {
    typed = await saveTyped(call, id);
  });
  if (typed !== undefined) return getDocument(call, ref);
  const text = await loadContent(call, restored.document);
  return text === undefined ? getDocument(call, ref) : { ...restored, text };
}

/** Does the same as {@link requireTrashed} for what can come back. @throws NOT_FOUND, TakenDown */
async function requireRestorable(call: Call, id: string, db?: Reader): Promise<TrashedDocument> {
  const trashed = await requireTrashed(call, id, db);
  if (trashed.takenDownAt !== null) throw new TakenDown(trashed);
  return trashed;
}

async function moveBack(call: Call, tx: Writer, id: string, givenName: string | undefined) {
  const { actor } = call;
  const before = await requireRestorable(call, id, tx);
  const { kind, ownerId, ownerNamespace } = before;
  const name = givenName ?? before.name;
  if (await isNameTaken(tx, { ownerId, kind, name, exceptId: before.id })) {
    const owner = ownerId === actor.id ? 'you' : ownerNamespace;
    throw new NameTaken({ ownerId, owner, kind, name });
  }
  const { visibility } = before;
  const to = { ownerId, kind, name, visibility };
  if (!(await mayPublish(tx, ownerId, visibility))) throw wouldBePublic(kind);
  await requireArrival(tx, actor, before, to, { isFromTrash: true });
  if (name !== before.name) {
    const { level } = see(before);
    await requireRenamable(tx, actor, before, { level, becomes: visibility });
  }
  const renamed = name === before.name ? undefined : { name, ...renaming(call, before) };
  if (!(await moveFromTrash(tx, before.id, renamed ?? before))) throw notInTrash();
  await charge(call, tx, ownerId, { documents: 1 });
  await deleteAlias(tx, { ownerId, kind, name });
  await inheritProtection(tx, { documentId: before.id, ownerId, kind, name });
  await unpinSurplus(tx, before);
  if (renamed) {
    const isTaken = await isNameTaken(tx, {
      ownerId,
      kind,
      name: before.name,
      exceptId: before.id,
    });
    if (!isTaken) await insertAlias(tx, { ...before, documentId: before.id });
    const { version, updatedAt: at } = renamed;
    const revision = { documentId: before.id, version, changed: ['name'], at };
    await insertRevision(tx, revisionOf(actor, revision, {}));
  }
  const type = 'document.restored';
  await insertEvent(tx, eventOf(call, { documentId: before.id, ownerId, type }));
  const ref = { kind, owner: ownerNamespace, name };
  const about = aboutDocument({ ...before, name });
  await audit(call, tx, { action: 'document.restored', actor, ...about });
  const document = await findDocumentWithContent(tx, ref, actor.id);
  if (!document) throw new Error(`Document ${before.id} was restored and cannot be found.`);
  return see(document);
}

/** Returns the fields that a new name changes. */
function renaming(call: Call, { version }: TrashedRow) {
  return { version: version + 1, updatedBy: call.actor.id, updatedAt: call.now() };
}

/**
 * Deletes a document in the trash for good, with its revisions.
 *
 * @throws NOT_FOUND; FORBIDDEN if its organization leaves that to its admins
 */
export async function deleteForever(call: Call, id: string): Promise<void> {
  const { ownerNamespace } = await requireTrashed(call, id);
  const { storagePaths } = await changeOwned(call, ownerNamespace, async (tx) => {
    const document = await requireTrashed(call, id, tx);
    await requireTakeAway(tx, document, 'delete its documents for good');
    return purge(call, tx, [document.id], call.actor);
  });
  await discardBlobs(call, storagePaths);
}

/**
 * Deletes documents for good that have been in the trash for longer than `TRASH_DAYS`.
 *
 * @returns how many
 */
export async function sweepTrash(context: Context): Promise<number> {
  const until = expiredUntil(context);
  for (let removed = 0; ; ) {
    const { count, storagePaths } = await context.sql.transaction(async (tx) =>
      purge(context, tx, await listExpired(tx, until, SWEEP_BATCH)),
    );
    await discardBlobs(context, storagePaths);
    removed += count;
    if (count < SWEEP_BATCH) return removed;
  }
}

async function purge(
  context: Context,
  tx: Writer,
  ids: readonly string[],
  actor?: Actor,
): Promise<Deleted> {
  const deleted = await deleteTrashed(tx, ids);
  for (const document of deleted.documents) {
    const about = { ...aboutDocument(document), ...(actor && { actor }) };
    await audit(context, tx, { action: 'document.purged', ...about });
  }
  return deleted;
}

/** Returns the time until which deleted documents can no longer be restored. */
function expiredUntil({ now, trashMs }: Context): string {
  return later(now(), -trashMs);
}

function withExpiry({ trashMs }: Context) {
  return (row: TrashedRow): TrashedDocument => ({
    ...row,
    expiresAt: later(row.deletedAt, trashMs),
  });
}

function wouldBePublic(kind: string): FieldError {
  return new FieldError(
    'UNPROCESSABLE',
    'name',
    `this ${kind} would be public at once, and this organization allows no public documents. Restore it ` +
      'while an admin allows them.',
  );
}

function notInTrash(): FieldError {
  return new FieldError('NOT_FOUND', 'id', 'there is no such document in your trash.');
}
