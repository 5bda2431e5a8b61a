import { FieldError, type ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { normaliseId } from '../../base/schema/id.ts';
import type { Actor, Context } from '../../core/context.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { insertCollaborator } from '../../core/document/collaborator-store.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { insertPending } from '../../core/outbox/search-pending-store.ts';
import {
  type DocumentInvitationRow,
  deleteInvitation,
  findInvitation,
  listInvitationsOfDocument,
  listInvitationsOfTarget,
  updateInvitation,
} from '../../core/owner/document-invitation-store.ts';
import {
  notExpiredAt,
  recentlyExpiredAt,
  requireNotExpired,
} from '../../core/owner/invitation-state.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireGrantable } from '../../core/review/protection-service.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { findStillShared } from '../invitations/offer-service.ts';

/** Lists a document's pending invitations, newest first. @throws NOT_FOUND, FORBIDDEN */
export async function listDocumentInvitations(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  page: PageRequest,
): Promise<Page<DocumentInvitationRow>> {
  const { document } = await requireDocument(context.sql.read, actor, ref, 'share');
  return listInvitationsOfDocument(context.sql.read, document.id, page);
}

/** Changes a pending invitation's permission. @throws NOT_FOUND, FORBIDDEN */
export async function changeInvitation(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  invitationId: string,
  permission: Permission,
): Promise<{ id: string; permission: Permission }> {
  return changeOwned(context, ref.owner, async (tx) => {
    const { id } = await requireInvitationOfDocument(tx, actor, ref, invitationId);
    const seen = await requireDocument(tx, actor, ref, 'share');
    await requireGrantable(tx, actor, seen, permission);
    await updateInvitation(tx, id, permission);
    return { id, permission };
  });
}

/**
 * Cancels a pending invitation.
 *
 * @returns the invitation, which is no longer pending
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function cancelInvitation(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  invitationId: string,
): Promise<DocumentInvitationRow> {
  return changeOwned(context, ref.owner, async (tx) => {
    const invitation = await requireInvitationOfDocument(tx, actor, ref, invitationId);
    await deleteInvitation(tx, invitation.id);
    return invitation;
  });
}

async function requireInvitationOfDocument(
  tx: Writer,
  actor: Actor,
  ref: DocumentRef,
  invitationId: string,
): Promise<DocumentInvitationRow> {
  const { document } = await requireDocument(tx, actor, ref, 'share');
  const invitation = await findInvitation(tx, normaliseId(invitationId));
  if (invitation?.documentId !== document.id) throw noInvitation();
  return invitation;
}

/** Lists the invitations to documents that the actor can accept, newest first. */
export async function listOwnInvitations(
  context: Context,
  actor: Actor,
  page: PageRequest,
): Promise<Page<DocumentInvitationRow>> {
  return listInvitationsOfTarget(context.sql.read, actor.id, notExpiredAt(context.now()), page);
}

/** Lists the actor's invitations to documents that expired in the last 30 days, newest first. */
export async function listOwnExpiredInvitations(
  context: Context,
  actor: Actor,
  page: PageRequest,
): Promise<Page<DocumentInvitationRow>> {
  return listInvitationsOfTarget(
    context.sql.read,
    actor.id,
    recentlyExpiredAt(context.now()),
    page,
  );
}

/**
 * Accepts an invitation: the actor becomes a collaborator.
 *
 * @returns the invitation, which is no longer pending
 * @throws NOT_FOUND unless it is the actor's and pending and the inviter can still share the
 *   document; UNPROCESSABLE if it has expired
 */
export async function acceptInvitation(
  context: Context,
  actor: Actor,
  invitationId: string,
): Promise<DocumentInvitationRow> {
  const accepted = await answerInvitation(context, actor, invitationId, async (tx, invitation) => {
    const now = context.now();
    if (!(await findStillShared(tx, invitation))) throw noInvitation();
    requireNotExpired(invitation, now);
    await deleteInvitation(tx, invitation.id);
    await insertCollaborator(tx, {
      id: context.newId(),
      documentId: invitation.documentId,
      accountId: actor.id,
      permission: invitation.permission,
      addedAt: now,
    });
    await insertPending(tx, invitation.documentId);
  });
  context.wakeIndexer();
  return accepted;
}

/**
 * Declines an invitation.
 *
 * @returns the invitation, which is no longer pending
 * @throws NOT_FOUND unless it is the actor's and pending
 */
export async function declineInvitation(
  context: Context,
  actor: Actor,
  invitationId: string,
): Promise<DocumentInvitationRow> {
  return answerInvitation(context, actor, invitationId, (tx, { id }) => deleteInvitation(tx, id));
}

/** Passes the actor's pending invitation to `work`, and returns it. @throws NOT_FOUND */
async function answerInvitation(
  context: Context,
  actor: Actor,
  invitationId: string,
  work: (tx: Writer, invitation: DocumentInvitationRow) => Promise<void>,
): Promise<DocumentInvitationRow> {
  // Reads it twice: first to learn which owner to lock, then to check under the lock that it is
  // still pending.
  const { ownerNamespace } = await requireOwnInvitation(context.sql.read, actor, invitationId);
  return changeOwned(context, ownerNamespace, async (tx) => {
    const invitation = await requireOwnInvitation(tx, actor, invitationId);
    await work(tx, invitation);
    return invitation;
  });
}

async function requireOwnInvitation(
  db: Reader,
  actor: Actor,
  invitationId: string,
): Promise<DocumentInvitationRow> {
  const invitation = await findInvitation(db, normaliseId(invitationId));
  if (invitation?.targetId !== actor.id) throw noInvitation();
  return invitation;
}

function noInvitation(): ServiceError {
  return new FieldError('NOT_FOUND', 'inviteId', 'no pending invitation has this id.');
}
