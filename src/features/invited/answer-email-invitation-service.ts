import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { ServiceError } from '../../base/errors.ts';
import { emailKey } from '../../base/text/email-address.ts';
import type { Actor, Context } from '../../core/context.ts';
import { higherPermission } from '../../core/document/access-rules.ts';
import { insertCollaborator, updateCollaborator } from '../../core/document/collaborator-store.ts';
import { findDocumentById } from '../../core/document/document-store.ts';
import { requireExistingAccount } from '../../core/identity/account-service.ts';
import { insertPending } from '../../core/outbox/search-pending-store.ts';
import { deleteInvitation, findInvitationOf } from '../../core/owner/document-invitation-store.ts';
import { isExpired, requireNotExpired } from '../../core/owner/invitation-state.ts';
import { findRole, insertMembership, updateRole } from '../../core/owner/membership-store.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { isInvitationToken } from '../invitations/email-invitation.ts';
import { noSuchInvitation } from '../invitations/email-invitation-service.ts';
import {
  deleteEmailInvitation,
  type EmailInvitationRow,
  findEmailInvitationByHash,
  type InvitationToDocument,
  type InvitationToOrganization,
} from '../invitations/email-invitation-store.ts';
import { findStillShared, isStillInvited } from '../invitations/offer-service.ts';
import {
  deleteOrganizationInvitation,
  findOrganizationInvitationOf,
} from '../organizations/organization-invitation-store.ts';

/** Returns the pending invitation of a link, expired or not. @throws NOT_FOUND */
export async function requireMailedInvitation(
  { sql }: Context,
  token: string,
  db: Reader = sql.read,
): Promise<EmailInvitationRow> {
  const found = isInvitationToken(token)
    ? await findEmailInvitationByHash(db, hashSecret(token))
    : undefined;
  if (!found) throw noSuchInvitation();
  return found;
}

/**
 * Tells whether a link was mailed to this address and can still be accepted. Only the mail contains
 * the token, so someone who knows it can read mail to that address.
 */
export async function isInvitedAddress(
  context: Context,
  tx: Reader,
  { token, email }: { token: string; email: string },
): Promise<boolean> {
  const found = await requireMailedInvitation(context, token, tx).catch(() => undefined);
  return found?.emailKey === emailKey(email.trim()) && !isExpired(found, context.now());
}

/**
 * Accepts the invitation of a link. Anyone who has the link can accept it, once. Someone who
 * already has access keeps the higher level.
 *
 * @returns the invitation, which is no longer pending
 * @throws NOT_FOUND, also if the inviter can no longer invite; UNPROCESSABLE if it has expired, or
 *   the actor owns the document; UNAUTHORIZED if the account is gone
 */
export async function acceptMailedInvitation(
  context: Context,
  actor: Actor,
  token: string,
): Promise<EmailInvitationRow> {
  const accepted = await answer(context, token, async (tx, invitation) => {
    const isStillOffered =
      invitation.documentId === null
        ? await isStillInvited(tx, invitation)
        : await findStillShared(tx, invitation);
    if (!isStillOffered) throw noSuchInvitation();
    requireNotExpired(invitation, context.now());
    await requireExistingAccount(tx, actor.id);
    if (invitation.documentId === null) await joinOrganization(context, tx, actor, invitation);
    else await joinDocument(context, tx, actor, invitation);
  });
  context.wakeIndexer();
  return accepted;
}

/** Declines the invitation of a link. Needs no account. @throws NOT_FOUND */
export async function declineMailedInvitation(
  context: Context,
  token: string,
): Promise<EmailInvitationRow> {
  return answer(context, token, async () => {});
}

/**
 * Runs `work` with the pending invitation of a link, then deletes the invitation. @throws NOT_FOUND
 */
async function answer(
  context: Context,
  token: string,
  work: (tx: Writer, invitation: EmailInvitationRow) => Promise<void>,
): Promise<EmailInvitationRow> {
  // Reads the invitation twice: first to learn which owner to lock, then to check under the lock
  // that it is still pending.
  const { ownerNamespace } = await requireMailedInvitation(context, token);
  return changeOwned(context, ownerNamespace, async (tx) => {
    const invitation = await requireMailedInvitation(context, token, tx);
    await work(tx, invitation);
    await deleteEmailInvitation(tx, invitation.id);
    return invitation;
  });
}

async function joinDocument(
  context: Context,
  tx: Writer,
  { id: accountId }: Actor,
  { documentId, kind, permission: offered }: InvitationToDocument,
): Promise<void> {
  const document = await findDocumentById(tx, documentId, accountId);
  if (document?.ownerId === accountId) {
    throw new ServiceError('UNPROCESSABLE', `You own this ${kind}. The invitation stays open.`);
  }
  const current = document?.permission ?? null;
  if (current !== null) {
    await updateCollaborator(tx, documentId, accountId, higherPermission(current, offered));
  } else {
    const [id, addedAt] = [context.newId(), context.now()];
    await insertCollaborator(tx, { id, documentId, accountId, permission: offered, addedAt });
  }
  const byUsername = await findInvitationOf(tx, documentId, accountId);
  if (byUsername) await deleteInvitation(tx, byUsername.id);
  await insertPending(tx, documentId);
}

async function joinOrganization(
  context: Context,
  tx: Writer,
  { id: accountId }: Actor,
  { organizationId, role }: InvitationToOrganization,
): Promise<void> {
  const current = await findRole(tx, organizationId, accountId);
  if (current === undefined) {
    const [id, joinedAt] = [context.newId(), context.now()];
    await insertMembership(tx, { id, organizationId, accountId, role, joinedAt });
  } else if (role === 'admin') {
    await updateRole(tx, organizationId, accountId, role);
  }
  const byUsername = await findOrganizationInvitationOf(tx, organizationId, accountId);
  if (byUsername) await deleteOrganizationInvitation(tx, organizationId, byUsername.id);
}
