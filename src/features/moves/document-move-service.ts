import { FieldError } from '../../base/errors.ts';
import { aboutDocument, audit } from '../../core/audit/audit.ts';
import { type Actor, type Call, type Context, callOf } from '../../core/context.ts';
import { allowsVisibility } from '../../core/document/access-rules.ts';
import { requireDocument, type Seen, see } from '../../core/document/authorize.ts';
import {
  deleteCollaborator,
  insertCollaborator,
  updateCollaborator,
} from '../../core/document/collaborator-store.ts';
import { loadContent } from '../../core/document/content.ts';
import { requireName } from '../../core/document/document-input.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument, type WholeDocument } from '../../core/document/document-service.ts';
import {
  type DocumentRow,
  findDocumentWithContent,
  isNameTaken,
  type StoredDocument,
} from '../../core/document/document-store.ts';
import { type IfMatch, requireMatch } from '../../core/document/entity-tag.ts';
import { deleteLinksOf } from '../../core/document/link-store.ts';
import { NameTaken, offeringFreeName } from '../../core/document/name-taken.ts';
import { revisionEvent } from '../../core/event/new-event.ts';
import { requirePerson } from '../../core/identity/person-acts.ts';
import {
  type OwnerRef,
  requireCreatableOwner,
  requireStillCreatable,
  resolveOwner,
} from '../../core/owner/document-owner-service.ts';
import { changeOwnedByTwo } from '../../core/owner/owner-service.ts';
import { allowsOutsiders } from '../../core/owner/policy.ts';
import {
  requirePublishable,
  requireTakeAway,
  restrictsSharing,
} from '../../core/owner/policy-service.ts';
import { findPolicies, returnOutsiders, stopOutsiders } from '../../core/owner/policy-store.ts';
import { charge } from '../../core/quota/quota-service.ts';
import { adjustUsage, countBytesOfDocument } from '../../core/quota/usage-store.ts';
import { requireMovable } from '../../core/review/protection-service.ts';
import { isProtected } from '../../core/review/protection-store.ts';
import { revisionOf } from '../../core/revision/write-note.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { deleteInvitationOf } from '../invitations/invitation-store.ts';
import { endOffers } from '../invitations/offer-service.ts';
import { type Destination, storeMove } from './document-move-store.ts';

export interface Move {
  /** A namespace: the actor's, or that of an organization where the actor can create documents. */
  owner: string;
  /** Default: its current name. */
  name?: string | undefined;
  /** Private is needed for an internal document to become a user's; internal only in an organization. */
  visibility?: 'private' | 'internal' | undefined;
}

export type Owner = OwnerRef & { id: string };

/** @throws NOT_FOUND that names the field `owner`; FORBIDDEN */
async function requireDestination(read: Reader, actor: Actor, namespace: string) {
  try {
    return await requireCreatableOwner(read, actor, await resolveOwner(read, actor, namespace));
  } catch (error) {
    if (!(error instanceof FieldError) || error.code !== 'NOT_FOUND') throw error;
    const shown = namespace.slice(0, 100);
    throw new FieldError('NOT_FOUND', 'owner', `no user or organization “${shown}”.`);
  }
}

/**
 * Gives a document to another owner. It keeps its id, content, history, collaborators, threads and
 * reviews (decision 010), and the invitations and links of those who can still share it. Its old
 * address redirects to the new one.
 *
 * @throws NOT_FOUND for the document or the owner; FORBIDDEN if the actor can't move it or can't
 *   create documents there, or if only admins can move it; PRECONDITION_FAILED; BAD_REQUEST for the
 *   name; UNPROCESSABLE if it is already there, the name is taken, its visibility isn't possible
 *   there, or it is public and needs an approval there
 */
export async function moveDocument(
  call: Call,
  ref: DocumentRef,
  move: Move,
  ifMatch: IfMatch,
): Promise<WholeDocument> {
  const { read } = call.sql;
  await requireDocument(read, call.actor, ref, 'move');
  const owner = await requireDestination(read, call.actor, move.owner);
  const moved = await offeringFreeName(read, () =>
    changeOwnedByTwo(call, [ref.owner, owner.namespace], (tx) =>
      writeMove(call, tx, { ref, move, owner, ifMatch }),
    ),
  );
  call.documentChanged();
  const text = await loadContent(call, moved.document);
  const { kind, name } = moved.document;
  if (text === undefined) {
    return getDocument(call, { kind, owner: owner.namespace, name });
  }
  return { ...moved, text };
}

async function writeMove(
  call: Call,
  tx: Writer,
  { ref, move, owner, ifMatch }: { ref: DocumentRef; move: Move; owner: Owner; ifMatch: IfMatch },
): Promise<Seen<StoredDocument>> {
  const { actor } = call;
  const { document } = await requireDocument(tx, actor, ref, 'move');
  if (move.visibility) await requireDocument(tx, actor, ref, 'changeVisibility');
  // Checked again inside the transaction: the account or the membership may have ended since.
  await requireStillCreatable(tx, actor, owner);
  await requireTakeAway(tx, document, 'move its documents to other owners');
  if (await restrictsSharing(tx, document.ownerId)) requirePerson(actor, 'moveAway');
  requireMatch(ifMatch, document);
  const to = destinationOf(document, move, owner);
  const { id, kind } = document;
  await requirePublishable(tx, owner.id, to.visibility);
  await requireMovable(tx, actor, document, { ...to, kind });
  const wanted = { ownerId: owner.id, kind, name: to.name, exceptId: id };
  if (await isNameTaken(tx, wanted)) {
    throw new NameTaken({ ...wanted, owner: owner.id === actor.id ? 'you' : owner.namespace });
  }
  await carryOut(call, tx, { document, to, owner, actor, audited: actor, stays: actor.id });
  const there = { kind, owner: owner.namespace, name: to.name };
  const after = await findDocumentWithContent(tx, there, actor.id);
  if (!after) throw new Error(`Document ${id} was moved and cannot be found.`);
  return see(after);
}

/** A move that is allowed, to a free name. */
export interface AllowedMove {
  document: DocumentRow;
  to: Destination;
  owner: Owner;
  /** Who stands in the history. */
  actor: Actor;
  /** Who stands in the audit trail; without one, an operator's command. */
  audited: Actor | undefined;
  /** Who has full access at the new owner, without being a collaborator of themself. */
  stays: string | undefined;
}

/**
 * Moves a document to its new owner, with all that depends on who owns it. Nothing is checked but the
 * new owner's quota. Both owners are locked.
 *
 * @throws QuotaExceeded
 */
export async function carryOut(
  context: Context,
  tx: Writer,
  { document, to, owner, actor, audited, stays }: AllowedMove,
): Promise<void> {
  const { id, kind, version } = document;
  const now = context.now();
  const changed = [
    'owner',
    ...(to.name === document.name ? [] : ['name']),
    ...(to.visibility === document.visibility ? [] : ['visibility']),
  ];
  const revision = { documentId: id, version: version + 1, changed, at: now };
  await storeMove(
    tx,
    document,
    to,
    { actorId: actor.id, now },
    {
      revision: revisionOf(actor, revision, {}),
      event: revisionEvent(callOf(context, actor), { ...revision, ownerId: owner.id }),
    },
  );
  // After the row is locked: what packs its old texts waits.
  const bytes = await countBytesOfDocument(tx, id);
  await adjustUsage(tx, document.ownerId, { documents: -1, bytes: -bytes });
  await charge(context, tx, owner.id, { documents: 1, bytes });
  if (await isProtected(tx, { documentId: '', ownerId: owner.id })) await deleteLinksOf(tx, id);
  const scope = { organizationId: owner.id, documentId: id };
  // What its former organization stopped, the new owner may allow, and the other way round.
  await returnOutsiders(tx, scope);
  if (!allowsOutsiders(await findPolicies(tx, owner.id))) await stopOutsiders(tx, scope);
  if (stays) await updateCollaborators(context, tx, { stays, documentId: id, owner, now });
  await endOffers(tx, { documentId: id });
  const after = { id, kind, ownerNamespace: owner.namespace, ...to };
  await auditMove(context, tx, audited, document, after);
}

/** Writes an entry for the owner that lost the document, and one for the one that got it. */
async function auditMove(
  context: Context,
  tx: Writer,
  by: Actor | undefined,
  before: DocumentRow,
  after: Pick<DocumentRow, 'id' | 'ownerId' | 'ownerNamespace' | 'kind' | 'name' | 'visibility'>,
): Promise<void> {
  const [from, to] = [aboutDocument(before), aboutDocument(after)];
  const actor = by && { actor: by };
  await audit(context, tx, {
    action: 'document.moved',
    ...actor,
    ...from,
    detail: { to: to.subject },
  });
  await audit(context, tx, {
    action: 'document.received',
    ...actor,
    ...to,
    detail: { from: from.subject, visibility: after.visibility },
  });
}

/** @throws BAD_REQUEST, UNPROCESSABLE */
function destinationOf(document: DocumentRow, move: Move, owner: Owner): Destination {
  const { kind } = document;
  if (owner.id === document.ownerId) {
    throw new FieldError(
      'UNPROCESSABLE',
      'owner',
      `“${owner.namespace}” already owns this ${kind}. To change only its name, rename it.`,
    );
  }
  const visibility = move.visibility ?? document.visibility;
  if (!allowsVisibility(owner.type, visibility)) {
    throw new FieldError(
      'UNPROCESSABLE',
      'visibility',
      `a user’s ${kind} can’t be internal. Make it private ("visibility": "private") to move it there.`,
    );
  }
  const name = move.name === undefined ? document.name : requireName(move.name);
  return { ownerId: owner.id, ownerType: owner.type, name, visibility };
}

/**
 * Updates the collaboration of who moves or gets a document, and deletes their own invitation. A new
 * owner is no longer a collaborator. In an organization, the mover becomes an admin collaborator, like
 * someone who creates a document there. No one else's permission changes.
 */
async function updateCollaborators(
  context: Context,
  tx: Writer,
  by: { stays: string; documentId: string; owner: Owner; now: string },
): Promise<void> {
  const { stays: accountId, documentId, owner, now } = by;
  await deleteInvitationOf(tx, { documentId }, { userId: accountId });
  if (owner.type === 'user') {
    await deleteCollaborator(tx, documentId, accountId);
    return;
  }
  if (await updateCollaborator(tx, documentId, accountId, 'admin')) return;
  await insertCollaborator(tx, {
    id: context.newId(),
    documentId,
    accountId,
    permission: 'admin',
    addedAt: now,
  });
}
