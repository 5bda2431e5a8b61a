import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { aboutDocument, audit } from '../../core/audit/audit.ts';
import type { Actor, Call } from '../../core/context.ts';
import type { DocumentAction, Level, Permission } from '../../core/document/access-rules.ts';
import { requireDocument, see } from '../../core/document/authorize.ts';
import {
  type CollaboratorRow,
  deleteCollaborator,
  listCollaborators,
  updateCollaborator,
} from '../../core/document/collaborator-store.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { findDocument } from '../../core/document/document-store.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import { insertPending } from '../../core/outbox/search-pending-store.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { findOwner } from '../../core/owner/owner-store.ts';
import { endAppointments } from '../../core/review/review-store.ts';
import { inviteOrChange } from '../invitations/invitation-service.ts';
import type { Invitation, OfUser, ToDocument } from '../invitations/invitation-store.ts';
import { endOffers, listEndingOffers } from '../invitations/offer-service.ts';
import type { OfferRow } from '../invitations/offer-store.ts';

/** Lists a document's collaborators, newest first. @throws NOT_FOUND */
export async function listDocumentCollaborators(
  call: Call,
  ref: DocumentRef,
  page: PageRequest,
): Promise<Page<CollaboratorRow>> {
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'read');
  return listCollaborators(call.sql.read, document.id, page);
}

/**
 * Returns a user's level on a document, from any source.
 *
 * @throws NOT_FOUND if the actor can't read the document, or there is no such user
 */
export async function getEffectivePermission(
  call: Call,
  ref: DocumentRef,
  username: string,
): Promise<{ username: string; permission: Level }> {
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'read');
  const account = await requireAccount(call.sql.read, username);
  const { kind, ownerNamespace: owner, name } = document;
  const seen = see(await findDocument(call.sql.read, { kind, owner, name }, account.id));
  return { username: account.username, permission: seen?.level ?? 'none' };
}

/**
 * Invites a user to a document, or changes a collaborator's permission.
 *
 * @returns the invitation, or `undefined` if a collaborator's permission changed
 * @throws like {@link inviteOrChange}; UNPROCESSABLE for the owner; NOT_FOUND for an organization, with
 *   the ways to share with it
 */
export async function inviteOrChangeCollaborator(
  call: Call,
  ref: DocumentRef,
  username: string,
  permission: Permission,
): Promise<Invitation<ToDocument, OfUser> | undefined> {
  return inviteOrChange(
    call,
    ref,
    { username, level: permission },
    async (tx, account, { id: documentId, ownerId, about }) => {
      if (account.id === ownerId) {
        throw new FieldError(
          'UNPROCESSABLE',
          'username',
          `“${account.username}” owns this ${ref.kind}.`,
        );
      }
      if (!(await updateCollaborator(tx, documentId, account.id, permission))) return false;
      await endOffers(tx, { makerId: account.id, documentId });
      await audit(call, tx, {
        action: 'collaborator.level_changed',
        actor: call.actor,
        accountId: account.id,
        ...about,
        detail: { username: account.username, level: permission },
      });
      return true;
    },
  ).catch(async (error: unknown) => {
    const isMissing = error instanceof FieldError && error.field === 'username';
    const namespace = isMissing && error.status === 404 && parseNamespace(username);
    const owner = namespace && (await findOwner(call.sql.read, namespace));
    if (!owner || owner.type === 'user') throw error;
    const ways = `Move the ${ref.kind} to it, or invite its members by username`;
    throw new FieldError('NOT_FOUND', 'username', `“${namespace}” is an organization. ${ways}.`);
  });
}

/**
 * Removes a collaborator. Everyone can remove themselves.
 *
 * @throws NOT_FOUND if the user isn't one, FORBIDDEN
 */
export async function removeCollaborator(
  call: Call,
  ref: DocumentRef,
  username: string,
): Promise<void> {
  await changeOwned(call, ref.owner, async (tx) => {
    const action = removal(call.actor, username);
    const { document } = await requireDocument(tx, call.actor, ref, action);
    const account = await requireAccount(tx, username);
    if (!(await deleteCollaborator(tx, document.id, account.id))) {
      throw new FieldError(
        'NOT_FOUND',
        'username',
        `“${account.username}” is not a collaborator on this ${ref.kind}.`,
      );
    }
    await endOffers(tx, { makerId: account.id, documentId: document.id });
    await endAppointments(tx, account.id, { documentId: document.id });
    await insertPending(tx, document.id);
    await audit(call, tx, {
      action: 'collaborator.removed',
      actor: call.actor,
      accountId: account.id,
      ...aboutDocument(document),
      detail: { username: account.username },
    });
  });
  call.wakeIndexer();
}

/** Returns what somebody has to be allowed to do, to remove a user from a document. */
export function removal(actor: Actor, username: string): DocumentAction {
  return parseNamespace(username) === actor.username ? 'read' : 'share';
}

/**
 * Lists the pending invitations and secret links to a document that end when the user who made them
 * gets another permission, or none.
 *
 * @throws NOT_FOUND; FORBIDDEN if the user isn't the actor, and the actor can't share the document
 */
export async function listEndingOnDocument(
  call: Call,
  ref: DocumentRef,
  username: string,
  permission: Permission | null,
): Promise<OfferRow[]> {
  const { read } = call.sql;
  const account = await requireAccount(read, username);
  const action = account.id === call.actor.id ? 'read' : 'share';
  const { document } = await requireDocument(read, call.actor, ref, action);
  const scope = { makerId: account.id, documentId: document.id };
  return listEndingOffers(read, scope, { permission }, call.now());
}
