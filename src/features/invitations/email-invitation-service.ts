import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { emailKey } from '../../base/text/email-address.ts';
import { type Actor, type Context, later } from '../../core/context.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { requireEmail } from '../../core/identity/account-service.ts';
import { findAccountById } from '../../core/identity/account-store.ts';
import { countInvitation, emailInvitationBudgets } from '../../core/identity/attempts.ts';
import { queueEmailInvitation } from '../../core/outbox/queue-service.ts';
import {
  alreadyInvited,
  decideInvite,
  recentlyExpiredAt,
} from '../../core/owner/invitation-state.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireGrantable, requireRoleGrantable } from '../../core/review/protection-service.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { INVITATION_TOKEN_BYTES, MAX_EMAIL_INVITATIONS } from './email-invitation.ts';
import {
  countEmailInvitationsTo,
  deleteEmailInvitation,
  deleteExpiredEmailInvitations,
  type EmailInvitationRow,
  findEmailInvitation,
  findEmailInvitationOf,
  type InvitationToDocument,
  type InvitationToOrganization,
  type InvitedTo,
  type Inviting,
  insertEmailInvitation,
  listEmailInvitationsTo,
} from './email-invitation-store.ts';
import { sealInvitationToken } from './sealed-invitation-service.ts';

/**
 * Invites an address to a document by mail. Doesn't look for an account with the address, so the
 * response can't reveal whether there is one.
 *
 * @throws NOT_FOUND, FORBIDDEN; BAD_REQUEST for the address; UNPROCESSABLE if the server sends no
 *   mail, the actor's own address isn't verified, the address is invited already, or too many
 *   addresses are; TooManyAttempts
 */
export async function inviteToDocumentByEmail(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  { email, permission }: { email: string; permission: Permission },
): Promise<InvitationToDocument> {
  return invite(context, actor, ref.owner, email, async (tx) => {
    const seen = await requireDocument(tx, actor, ref, 'share');
    await requireGrantable(tx, actor, seen, permission);
    return { documentId: seen.document.id, permission };
  }) as Promise<InvitationToDocument>;
}

/** Invites an address to an organization by mail. @throws like {@link inviteToDocumentByEmail} */
export async function inviteToOrganizationByEmail(
  context: Context,
  actor: Actor,
  org: string,
  { email, role }: { email: string; role: Role },
): Promise<InvitationToOrganization> {
  return invite(context, actor, org, email, async (tx) => {
    const organization = await requireAllowed(tx, actor, 'invite', org);
    if (role === 'admin') await requireAllowed(tx, actor, 'changeRole', org);
    await requireRoleGrantable(tx, actor, organization, role);
    return { organizationId: organization.id, role };
  }) as Promise<InvitationToOrganization>;
}

/** @param authorize returns what the address is invited to, or throws */
async function invite(
  context: Context,
  actor: Actor,
  owner: string,
  address: string,
  authorize: (tx: Writer) => Promise<InvitedTo>,
): Promise<EmailInvitationRow> {
  const budgets = emailInvitationBudgets(actor.id, emailKey(address.trim()));
  const token = randomBytes(INVITATION_TOKEN_BYTES).toString('base64url');
  const sealedToken = await sealInvitationToken(context, token);
  return countInvitation(
    context,
    actor,
    (spend) =>
      changeOwned(context, owner, async (tx) => {
        const to = await authorize(tx);
        const email = requireEmail(address);
        await requireSender(context, tx, actor);
        await requireRoom(context, tx, to, email);
        spend();
        const id = context.newId();
        const createdAt = context.now();
        await insertEmailInvitation(tx, {
          id,
          tokenHash: hashSecret(token),
          email,
          emailKey: emailKey(email),
          to,
          invitedBy: actor.id,
          createdAt,
          expiresAt: later(createdAt, context.invitationLifetimeMs),
        });
        await queueEmailInvitation(context, tx, { id, sealedToken });
        return (await findEmailInvitation(tx, id)) as EmailInvitationRow;
      }),
    budgets,
  );
}

/**
 * Requires that the server sends mail, and that the actor's own address is verified.
 *
 * @throws UNPROCESSABLE
 */
async function requireSender(context: Context, tx: Writer, actor: Actor): Promise<void> {
  if (!context.sendsMail) {
    throw new FieldError(
      'UNPROCESSABLE',
      'email',
      'this server sends no mail. Invite people by username.',
    );
  }
  const account = await findAccountById(tx, actor.id);
  if (account?.emailVerifiedAt === null) {
    throw new FieldError(
      'UNPROCESSABLE',
      'email',
      'verify your own email address in Settings first.',
    );
  }
}

/**
 * Requires that the address has no invitation that can be accepted, and that there is room for
 * another. Deletes an expired invitation of the address.
 *
 * @throws UNPROCESSABLE
 */
async function requireRoom(
  context: Context,
  tx: Writer,
  to: Inviting,
  email: string,
): Promise<void> {
  const invitation = await findEmailInvitationOf(tx, to, emailKey(email));
  const outcome = decideInvite({ isMember: false, invitation }, context.now());
  if (outcome === 'refuse-duplicate') {
    throw alreadyInvited('email', email);
  }
  if (invitation) await deleteEmailInvitation(tx, invitation.id);
  if ((await countEmailInvitationsTo(tx, to)) >= MAX_EMAIL_INVITATIONS) {
    throw new FieldError(
      'UNPROCESSABLE',
      'email',
      `${MAX_EMAIL_INVITATIONS} addresses already have pending invitations. Cancel some first.`,
    );
  }
}

/**
 * Lists the pending invitations of addresses to a document, newest first. @throws NOT_FOUND,
 * FORBIDDEN
 */
export async function listEmailInvitationsOfDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  page: PageRequest,
): Promise<Page<InvitationToDocument>> {
  const { read } = context.sql;
  const { document } = await requireDocument(read, actor, ref, 'share');
  return listEmailInvitationsTo(read, { documentId: document.id }, page);
}

/**
 * Lists the pending invitations of addresses to an organization, newest first.
 *
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function listEmailInvitationsOfOrganization(
  context: Context,
  actor: Actor,
  org: string,
  page: PageRequest,
): Promise<Page<InvitationToOrganization>> {
  const { read } = context.sql;
  const { id: organizationId } = await requireAllowed(read, actor, 'invite', org);
  return listEmailInvitationsTo(read, { organizationId }, page);
}

/** Cancels an address's invitation to a document. @throws NOT_FOUND, FORBIDDEN */
export async function cancelEmailInvitationOfDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  invitationId: string,
): Promise<EmailInvitationRow> {
  return changeOwned(context, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, actor, ref, 'share');
    return cancel(tx, { documentId: document.id }, invitationId);
  });
}

/** Cancels an address's invitation to an organization. @throws NOT_FOUND, FORBIDDEN */
export async function cancelEmailInvitationOfOrganization(
  context: Context,
  actor: Actor,
  org: string,
  invitationId: string,
): Promise<EmailInvitationRow> {
  return changeOwned(context, org, async (tx) => {
    const { id: organizationId } = await requireAllowed(tx, actor, 'invite', org);
    return cancel(tx, { organizationId }, invitationId);
  });
}

async function cancel(tx: Writer, to: Inviting, id: string): Promise<EmailInvitationRow> {
  const invitation = await findEmailInvitation(tx, normaliseId(id));
  const isOfIt =
    invitation &&
    ('documentId' in to
      ? invitation.documentId === to.documentId
      : invitation.documentId === null && invitation.organizationId === to.organizationId);
  if (!isOfIt) throw new FieldError('NOT_FOUND', 'inviteId', 'no pending invitation has this id.');
  await deleteEmailInvitation(tx, invitation.id);
  return invitation;
}

/**
 * Deletes invitations that expired at least 30 days ago, because the invited people never agreed to
 * have their address stored.
 *
 * @returns how many
 */
export async function sweepEmailInvitations(context: Context): Promise<number> {
  const { after } = recentlyExpiredAt(context.now());
  return context.sql.transaction((tx) => deleteExpiredEmailInvitations(tx, after));
}

/** Returns the same error for every link without a pending invitation. */
export function noSuchInvitation(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This invitation is no longer pending. It was accepted, declined or cancelled.',
  );
}
