import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { type Audited, aboutDocument, audit } from '../../core/audit/audit.ts';
import type { Actor, Call, Context } from '../../core/context.ts';
import { higherPermission } from '../../core/document/access-rules.ts';
import { insertCollaborator, updateCollaborator } from '../../core/document/collaborator-store.ts';
import { findDocumentById } from '../../core/document/document-store.ts';
import { requireExistingAccount } from '../../core/identity/account-service.ts';
import { insertPending } from '../../core/outbox/search-pending-store.ts';
import { findHeldRole, insertMembership, updateRole } from '../../core/owner/membership-store.ts';
import { requireOrganization } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { mayJoinDocument } from '../../core/owner/policy-service.ts';
import { returnOutsiders } from '../../core/owner/policy-store.ts';
import { isGuarded } from '../../core/review/protection-service.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { isInvitationToken } from './invitation-link.ts';
import { noInvitation } from './invitation-service.ts';
import {
  isExpired,
  noLongerPending,
  notExpiredAt,
  recentlyExpiredAt,
  requireNotExpired,
} from './invitation-state.ts';
import {
  deleteInvitation,
  deleteInvitationOf,
  findInvitation,
  findInvitationByToken,
  findInvitationOf,
  type Invitation,
  listInvitationsOf,
  type OfAddress,
  type OfUser,
  type ToDocument,
  type ToOrganization,
  type ToTargets,
} from './invitation-store.ts';
import { isStillOffered } from './offer-service.ts';

/** Lists the invitations that the actor can accept, newest first. */
export async function listOwnInvitations<T extends keyof ToTargets>(
  call: Call,
  targets: T,
  page: PageRequest,
): Promise<Page<Invitation<ToTargets[T], OfUser>>> {
  const { sql, now } = call;
  return listInvitationsOf(sql.read, call.actor.id, targets, notExpiredAt(now()), page);
}

/** Lists the actor's invitations that expired in the last 30 days, newest first. */
export async function listOwnExpiredInvitations<T extends keyof ToTargets>(
  call: Call,
  targets: T,
  page: PageRequest,
): Promise<Page<Invitation<ToTargets[T], OfUser>>> {
  const { sql, now } = call;
  return listInvitationsOf(sql.read, call.actor.id, targets, recentlyExpiredAt(now()), page);
}

/** Which pending invitation someone answers, expired or not. */
export interface Answerable<I extends Invitation = Invitation> {
  find(db: Reader): Promise<I | undefined>;
  /** The same error if there is none, and if the inviter can no longer invite. */
  none(): ServiceError;
}

/** The actor's own invitation to a document, by its id. */
export function invitationById(
  actor: Actor,
  invitationId: string,
): Answerable<Invitation<ToDocument, OfUser>> {
  return {
    async find(db) {
      const found = await findInvitation(db, normaliseId(invitationId));
      if (found?.email !== null || found.documentId === null) return undefined;
      return found.recipientId === actor.id ? found : undefined;
    },
    none: noInvitation,
  };
}

/** The actor's own invitation to an organization. Finding it throws NOT_FOUND if there is none. */
export function invitationTo(
  actor: Actor,
  org: string,
): Answerable<Invitation<ToOrganization, OfUser>> {
  return {
    async find(db) {
      const { id: organizationId } = await requireOrganization(db, actor, org);
      return findInvitationOf(db, { organizationId }, { userId: actor.id });
    },
    none: () =>
      new FieldError('NOT_FOUND', 'org', 'you have no pending invitation to this organization.'),
  };
}

/** The invitation of a link, for everyone who has the link. */
export function invitationOfLink(
  token: string,
): Answerable<Invitation<ToDocument | ToOrganization, OfAddress>> {
  return {
    async find(db) {
      return isInvitationToken(token) ? findInvitationByToken(db, hashSecret(token)) : undefined;
    },
    none: noLongerPending,
  };
}

/** Returns a pending invitation, expired or not. @throws NOT_FOUND */
export async function requireInvitation<I extends Invitation>(
  db: Reader,
  which: Answerable<I>,
): Promise<I> {
  const found = await which.find(db);
  if (!found) throw which.none();
  return found;
}

/**
 * Accepts an invitation, once. Someone who already has access keeps the higher level.
 *
 * @returns the invitation, which is no longer pending
 * @throws NOT_FOUND, also if the inviter can no longer invite; UNPROCESSABLE if it has expired, or
 *   the actor owns the document; UNAUTHORIZED if the account is gone
 */
export async function acceptInvitation<I extends Invitation>(
  call: Call,
  which: Answerable<I>,
): Promise<I> {
  const accepted = await answer(call, which, async (tx, invitation) => {
    if (!(await isStillOffered(tx, invitation))) throw which.none();
    if (!(await isAllowedThere(tx, call.actor, invitation))) throw which.none();
    requireNotExpired(invitation, call.now());
    await requireGivenByPerson(tx, invitation);
    await requireExistingAccount(tx, call.actor.id);
    if (invitation.documentId === null) await joinOrganization(call, tx, invitation);
    else await joinDocument(call, tx, invitation);
    await audit(call, tx, {
      action: invitation.documentId === null ? 'member.added' : 'collaborator.accepted',
      actor: call.actor,
      ...about(invitation),
      detail: { level: invitation.level },
    });
  });
  if (accepted.documentId !== null) call.wakeIndexer();
  return accepted;
}

/**
 * Declines an invitation.
 *
 * @param actor who does it, if they are signed in
 * @returns the invitation, which is no longer pending
 * @throws NOT_FOUND
 */
export async function declineInvitation<I extends Invitation>(
  context: Context,
  which: Answerable<I>,
  actor?: Actor,
): Promise<I> {
  return answer(context, which, async (tx, invitation) => {
    const of = { ...(actor && { actor }), ...about(invitation) };
    await audit(context, tx, { action: 'invitation.declined', ...of });
  });
}

/** Returns what an entry of the audit trail says about an invitation. */
function about(invitation: Invitation): Pick<Audited, 'ownerId' | 'documentId' | 'subject'> {
  const { ownerId, ownerNamespace } = invitation;
  if (invitation.documentId === null) return { ownerId, subject: ownerNamespace };
  const { documentId: id, kind, documentName: name } = invitation;
  return aboutDocument({ id, ownerId, ownerNamespace, kind, name });
}

/**
 * Requires that a person gave the invited what only people give there by now: a program may have
 * invited before that was so.
 *
 * @throws FORBIDDEN
 */
async function requireGivenByPerson(db: Reader, invitation: Invitation): Promise<void> {
  if (invitation.level !== 'admin' || invitation.isByPerson) return;
  if (!(await isGuarded(db, invitation))) return;
  throw new ServiceError(
    'FORBIDDEN',
    'A program invited you as admin, and by now only people can do that there. Ask to be invited ' +
      'again, in the web app.',
  );
}

/** Tells whether the organization whose document it is lets this invitation be accepted. */
async function isAllowedThere(
  db: Reader,
  { id: accountId }: Actor,
  { documentId, ownerId, invitedBy }: Invitation,
): Promise<boolean> {
  if (documentId === null || invitedBy === null) return true;
  return mayJoinDocument(db, ownerId, { invitedBy, accountId });
}

/** Runs `work` with a pending invitation, then deletes the invitation. @throws NOT_FOUND */
async function answer<I extends Invitation>(
  context: Context,
  which: Answerable<I>,
  work: (tx: Writer, invitation: I) => Promise<void>,
): Promise<I> {
  // Reads the invitation twice: first to learn which owner to lock, then to check under the lock
  // that it is still pending.
  const { ownerNamespace } = await requireInvitation(context.sql.read, which);
  return changeOwned(context, ownerNamespace, async (tx) => {
    const invitation = await requireInvitation(tx, which);
    await work(tx, invitation);
    await deleteInvitation(tx, invitation.id);
    return invitation;
  });
}

async function joinDocument(
  call: Call,
  tx: Writer,
  { documentId, kind, level }: ToDocument,
): Promise<void> {
  const { actor } = call;
  const document = await findDocumentById(tx, documentId, actor.id);
  if (document?.ownerId === actor.id) {
    throw new ServiceError('UNPROCESSABLE', `You own this ${kind}. The invitation stays open.`);
  }
  const current = document?.permission ?? null;
  if (current !== null) {
    await updateCollaborator(tx, documentId, actor.id, higherPermission(current, level));
  } else {
    const [id, addedAt] = [call.newId(), call.now()];
    await insertCollaborator(tx, {
      id,
      documentId,
      accountId: actor.id,
      permission: level,
      addedAt,
    });
  }
  await deleteInvitationOf(tx, { documentId }, { userId: actor.id });
  await insertPending(tx, documentId);
}

async function joinOrganization(
  call: Call,
  tx: Writer,
  { organizationId, level: role }: ToOrganization,
): Promise<void> {
  const { actor } = call;
  const current = await findHeldRole(tx, organizationId, actor.id);
  if (current === undefined) {
    const [id, joinedAt] = [call.newId(), call.now()];
    await insertMembership(tx, { id, organizationId, accountId: actor.id, role, joinedAt });
    // What was stopped because they were no member.
    await returnOutsiders(tx, { organizationId, accountId: actor.id });
  } else if (role === 'admin') {
    await updateRole(tx, organizationId, actor.id, role);
  }
  await deleteInvitationOf(tx, { organizationId }, { userId: actor.id });
}

/**
 * Returns the address that a link was mailed to, if the invitation can still be accepted. Only the
 * mail contains the token, so someone who knows it can read mail to that address. A link that the
 * inviter passed on proves no address, so it has none.
 */
export async function findInvitedAddress(
  context: Context,
  db: Reader,
  token: string,
): Promise<string | undefined> {
  const found = await invitationOfLink(token).find(db);
  if (!found || found.sealedToken !== null || isExpired(found, context.now())) return undefined;
  return (await isStillOffered(db, found)) ? found.email : undefined;
}
