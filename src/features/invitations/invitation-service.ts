import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { emailKey } from '../../base/text/email-address.ts';
import { type Audited, aboutDocument, audit } from '../../core/audit/audit.ts';
import { type Actor, type Call, type Context, later } from '../../core/context.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { requireEmail, requireUser } from '../../core/identity/account-service.ts';
import { type AccountRow, findAccountById } from '../../core/identity/account-store.ts';
import { countInvitation, emailInvitationBudgets } from '../../core/identity/attempts.ts';
import type { Scope } from '../../core/identity/scope.ts';
import { openSecrets, sealSecret } from '../../core/identity/sealed-secret-service.ts';
import { requireVerified } from '../../core/identity/sign-up-rules.ts';
import { queueEmailInvitation, queueInvitationMail } from '../../core/outbox/queue-service.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { requireAllowed, requireRole } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireOutsideInviter } from '../../core/owner/policy-service.ts';
import { requireGrantable, requireRoleGrantable } from '../../core/review/protection-service.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { INVITATION_TOKEN_BYTES, invitedPath, MAX_INVITED_ADDRESSES } from './invitation-link.ts';
import { alreadyInvited, decideInvite, recentlyExpiredAt } from './invitation-state.ts';
import {
  countInvitedAddresses,
  deleteExpiredAddresses,
  deleteInvitation,
  findInvitation,
  findInvitationOf,
  type Invitation,
  insertInvitation,
  listInvitationsTo,
  type OfAddress,
  type OfRecipients,
  type OfUser,
  type Recipient,
  type Target,
  type ToDocument,
  type ToOrganization,
  updateInvitation,
} from './invitation-store.ts';

// What those do who invite. `answer-service.ts` is what those do who are invited.

/** What people are invited to, as a caller names it: a document, or an organization's namespace. */
export type Place = DocumentRef | { org: string };

/** The permission or the role that an invitation gives there. */
type LevelAt<P extends Place> = P extends DocumentRef ? Permission : Role;

type ToPlace<P extends Place> = P extends DocumentRef ? ToDocument : ToOrganization;

/** An invitation with the link that the inviter passes on; `null` if there is none. */
export type ShownInvitation<I> = I & { url: string | null };

/** A document or an organization that the actor can invite to. */
interface Inviting {
  target: Target;
  /** The id of the document or the organization. */
  id: string;
  /** The id of the document's owner, or of the organization. */
  ownerId: string;
  /** What an entry of the audit trail says about it. */
  about: Pick<Audited, 'ownerId' | 'documentId' | 'subject'>;
  /**
   * Requires that the organization allows inviting somebody who may not be a member; without an
   * account, an address. @throws FORBIDDEN
   */
  requireOutside(account?: { id: string }): Promise<void>;
  /** Requires that the actor can give someone this level there. @throws FORBIDDEN */
  requireGiving(level: Permission | Role): Promise<void>;
}

/** Requires that the actor can invite there. @throws NOT_FOUND, FORBIDDEN */
async function requireInviting(db: Reader, actor: Actor, place: Place): Promise<Inviting> {
  if ('org' in place) {
    const organization = await requireAllowed(db, actor, 'invite', place.org);
    return {
      target: { organizationId: organization.id },
      id: organization.id,
      ownerId: organization.id,
      about: { ownerId: organization.id, subject: organization.namespace },
      async requireOutside() {},
      async requireGiving(level) {
        // Someone who can invite but not change roles can invite only members.
        if (level === 'admin') requireRole(organization.role, 'changeRole');
        await requireRoleGrantable(db, actor, organization, level as Role);
      },
    };
  }
  const seen = await requireDocument(db, actor, place, 'share');
  return {
    target: { documentId: seen.document.id },
    id: seen.document.id,
    ownerId: seen.document.ownerId,
    about: aboutDocument(seen.document),
    requireOutside: (account) => requireOutsideInviter(db, seen.document, account),
    requireGiving: (level) => requireGrantable(db, actor, seen, level as Permission),
  };
}

function ownerOf(place: Place): string {
  return 'org' in place ? place.org : place.owner;
}

/**
 * Invites a user, or gives someone who is a collaborator or a member already another level.
 *
 * @param change gives that level, if the user is a collaborator or a member; returns whether. It is
 *   also where to refuse users who can't be invited
 * @returns the invitation, or `undefined` if there was something to change
 * @throws NOT_FOUND for the place or the user; FORBIDDEN, also by {@link requireGrantable} and
 *   {@link requireRoleGrantable}; UNPROCESSABLE for a user with a pending invitation;
 *   TooManyAttempts
 */
export async function inviteOrChange<P extends Place>(
  call: Call,
  place: P,
  { username, level }: { username: string; level: LevelAt<P> },
  change: (
    tx: Writer,
    account: AccountRow,
    at: Pick<Inviting, 'id' | 'ownerId' | 'about'>,
  ) => Promise<boolean>,
): Promise<Invitation<ToPlace<P>, OfUser> | undefined> {
  return countInvitation(call, (spend) =>
    changeOwned(call, ownerOf(place), async (tx) => {
      const at = await requireInviting(tx, call.actor, place);
      await requireVerified(call, tx, call.actor, 'invite somebody');
      const account = await requireUser(tx, username);
      await at.requireGiving(level);
      if (await change(tx, account, at)) return undefined;
      await at.requireOutside(account);
      const { target } = at;
      const recipient = { userId: account.id };
      await requireNotInvited(call, tx, target, recipient, ['username', account.username]);
      spend();
      const id = await write(call, tx, { to: target, level, recipient });
      const to = 'documentId' in target ? 'document' : 'organization';
      await queueInvitationMail(call, tx, { id, targetId: account.id, to });
      await audit(call, tx, {
        action: to === 'document' ? 'collaborator.invited' : 'member.invited',
        actor: call.actor,
        accountId: account.id,
        ...at.about,
        detail: { username: account.username, level },
      });
      return written<Invitation<ToPlace<P>, OfUser>>(tx, id);
    }),
  );
}

/**
 * Invites an address: by mail, or, if the server sends none, with a link that the inviter passes on.
 * Doesn't look for an account with the address, so the response can't reveal whether there is one.
 *
 * @throws NOT_FOUND, FORBIDDEN; BAD_REQUEST for the address; UNPROCESSABLE if the address is the
 *   actor's own or invited already, the actor's isn't verified and the server sends mail, or too
 *   many addresses are invited; TooManyAttempts
 */
export async function inviteAddress<P extends Place>(
  call: Call,
  place: P,
  { email: address, level }: { email: string; level: LevelAt<P> },
): Promise<ShownInvitation<Invitation<ToPlace<P>, OfAddress>>> {
  const { actor } = call;
  const budgets = emailInvitationBudgets(actor.id, emailKey(address.trim()));
  const token = randomBytes(INVITATION_TOKEN_BYTES).toString('base64url');
  const { sendsMail } = call;
  await requireInviting(call.sql.read, actor, place);
  const use = sendsMail ? 'mailed invitation' : 'invitation link';
  const sealedToken = await sealSecret(call, use, token);
  return countInvitation(
    call,
    (spend) =>
      changeOwned(call, ownerOf(place), async (tx) => {
        const at = await requireInviting(tx, actor, place);
        const { target, about } = at;
        await at.requireGiving(level);
        await at.requireOutside();
        await requireVerified(call, tx, actor, 'invite somebody');
        const email = requireEmail(address);
        await requireSender(call, tx, email);
        const recipient = {
          emailKey: emailKey(email),
          email,
          tokenHash: hashSecret(token),
          sealedToken: sendsMail ? null : sealedToken,
        };
        await requireNotInvited(call, tx, target, recipient, ['email', email]);
        await requireRoom(tx, target);
        spend();
        const id = await write(call, tx, { to: target, level, recipient });
        if (sendsMail) await queueEmailInvitation(call, tx, { id, sealedToken });
        // Without the address: its owner hasn't agreed to have it stored.
        await audit(call, tx, {
          action: 'documentId' in target ? 'collaborator.invited' : 'member.invited',
          actor,
          ...about,
          detail: { by: 'address', level },
        });
        const made = await written<Invitation<ToPlace<P>, OfAddress>>(tx, id);
        return { ...made, url: sendsMail ? null : urlOf(call, token) };
      }),
    budgets,
  );
}

/**
 * Requires that someone has no invitation that can be accepted. Deletes an expired one.
 *
 * @throws UNPROCESSABLE, naming the field and who
 */
async function requireNotInvited(
  context: Context,
  tx: Writer,
  target: Target,
  recipient: Recipient,
  shown: [field: 'username' | 'email', who: string],
): Promise<void> {
  const existing = await findInvitationOf(tx, target, recipient);
  const outcome = decideInvite(existing, context.now());
  if (outcome === 'refuse-duplicate') throw alreadyInvited(...shown);
  if (existing) await deleteInvitation(tx, existing.id);
}

/**
 * Requires that the actor's own address isn't the one to invite and, if the server sends mail, is
 * verified.
 *
 * @throws UNPROCESSABLE
 */
async function requireSender(call: Call, tx: Writer, email: string): Promise<void> {
  const account = await findAccountById(tx, call.actor.id);
  if (account && emailKey(account.email) === emailKey(email)) {
    throw new FieldError('UNPROCESSABLE', 'email', 'is your own address.');
  }
  if (call.sendsMail && account?.emailVerifiedAt === null) {
    throw new FieldError(
      'UNPROCESSABLE',
      'email',
      'verify your own email address in Settings first.',
    );
  }
}

/** Requires that there is room for another invited address. @throws UNPROCESSABLE */
async function requireRoom(tx: Writer, target: Target): Promise<void> {
  if ((await countInvitedAddresses(tx, target)) < MAX_INVITED_ADDRESSES) return;
  throw new FieldError(
    'UNPROCESSABLE',
    'email',
    `${MAX_INVITED_ADDRESSES} addresses already have pending invitations. Cancel some first.`,
  );
}

/** @returns the id */
async function write(
  call: Call,
  tx: Writer,
  invitation: Pick<Parameters<typeof insertInvitation>[1], 'to' | 'level' | 'recipient'>,
): Promise<string> {
  const id = call.newId();
  const createdAt = call.now();
  const expiresAt = later(createdAt, call.invitationLifetimeMs);
  const by = { invitedBy: call.actor.id, isByPerson: call.actor.via.means === 'web' };
  await insertInvitation(tx, { ...invitation, id, ...by, createdAt, expiresAt });
  return id;
}

/** Returns an invitation that was written in the transaction. */
async function written<Row>(tx: Writer, id: string): Promise<Row> {
  return (await findInvitation(tx, id)) as Row;
}

/**
 * Lists the pending invitations of users, or of addresses, newest first, expired ones included. Those
 * of addresses have the link to pass on, if the actor could make such an invitation.
 *
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function listInvitations<P extends Place, R extends keyof OfRecipients>(
  call: Call,
  place: P,
  recipients: R,
  page: PageRequest,
): Promise<Page<ShownInvitation<Invitation<ToPlace<P>, OfRecipients[R]>>>> {
  const { read } = call.sql;
  const inviting = await requireInviting(read, call.actor, place);
  const { items, total } = await listInvitationsTo(read, inviting.target, recipients, page);
  const needed: Scope = 'org' in place ? 'organizations' : 'sharing';
  const sealed = await Promise.all(
    items.map(async (invitation) => {
      if (invitation.email === null || !call.actor.scopes.includes(needed)) return null;
      return (await canGive(inviting, invitation.level)) ? invitation.sealedToken : null;
    }),
  );
  const tokens = await openSecrets(call, 'invitation link', sealed);
  const shown = items.map((invitation, at) => {
    const token = tokens[at];
    return { ...invitation, url: token === undefined ? null : urlOf(call, token) };
  });
  return { items: shown as never, total };
}

async function canGive({ requireGiving }: Inviting, level: Permission | Role): Promise<boolean> {
  try {
    await requireGiving(level);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return false;
    throw error;
  }
}

function urlOf({ webUrl }: Context, token: string): string {
  return `${webUrl}${invitedPath(token)}`;
}

/**
 * Changes what a user's pending invitation to a document gives. An expired one stays expired.
 *
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function changeInvitation(
  call: Call,
  ref: DocumentRef,
  invitationId: string,
  permission: Permission,
): Promise<{ id: string; permission: Permission }> {
  return changeOwned(call, ref.owner, async (tx) => {
    const { target, about, requireGiving } = await requireInviting(tx, call.actor, ref);
    const found = await requireInvitationTo(tx, target, 'users', invitationId);
    const { id } = found;
    await requireGiving(permission);
    await updateInvitation(tx, id, permission, call.actor.via.means === 'web');
    await audit(call, tx, {
      action: 'invitation.changed',
      actor: call.actor,
      ...about,
      ...invited(found),
      detail: {
        username: found.email === null ? found.recipientUsername : null,
        level: permission,
      },
    });
    return { id, permission };
  });
}

/**
 * Cancels the pending invitation of a user, of an address, or of either.
 *
 * @returns the invitation, which is no longer pending
 * @throws NOT_FOUND, also for an invitation of another kind of recipient; FORBIDDEN
 */
export async function cancelInvitation<P extends Place, R extends keyof OfRecipients>(
  call: Call,
  place: P,
  recipients: R | 'anyone',
  invitationId: string,
): Promise<Invitation<ToPlace<P>, OfRecipients[R]>> {
  return changeOwned(call, ownerOf(place), async (tx) => {
    const { target, about } = await requireInviting(tx, call.actor, place);
    const invitation = await requireInvitationTo(tx, target, recipients, invitationId);
    await deleteInvitation(tx, invitation.id);
    const of = { ...about, ...invited(invitation) };
    await audit(call, tx, { action: 'invitation.cancelled', actor: call.actor, ...of });
    return invitation as never;
  });
}

/** Returns whom an entry about an invitation concerns, if they have an account. */
function invited({ recipientId }: Pick<Invitation, 'recipientId'>): { accountId?: string } {
  return recipientId === null ? {} : { accountId: recipientId };
}

/** @throws NOT_FOUND */
async function requireInvitationTo(
  tx: Writer,
  target: Target,
  recipients: keyof OfRecipients | 'anyone',
  invitationId: string,
): Promise<Invitation> {
  const found = await findInvitation(tx, normaliseId(invitationId));
  const isToTarget =
    found &&
    ('documentId' in target
      ? found.documentId === target.documentId
      : found.documentId === null && found.organizationId === target.organizationId);
  const kind = found?.email == null ? 'users' : 'addresses';
  if (isToTarget && (recipients === 'anyone' || recipients === kind)) return found;
  throw noInvitation();
}

/** Returns the same error for every id without a pending invitation. */
export function noInvitation(): FieldError {
  return new FieldError('NOT_FOUND', 'inviteId', 'no pending invitation has this id.');
}

/**
 * Deletes invitations of addresses that expired at least 30 days ago, because the invited people
 * never agreed to have their address stored.
 *
 * @returns how many
 */
export async function sweepInvitedAddresses(context: Context): Promise<number> {
  const { after } = recentlyExpiredAt(context.now());
  return context.sql.transaction((tx) => deleteExpiredAddresses(tx, after));
}
