import { requireAccount } from '../account/account-service.ts';
import { countInvitation } from '../account/attempts.ts';
import { changeOwned } from '../account/owner-service.ts';
import { type Actor, type Context, later } from '../context.ts';
import { insertPendingOfCollaborator } from '../document/search/search-pending-store.ts';
import {
  countCollaborationsWith,
  deleteCollaborationsWith,
} from '../document/sharing/collaborator-store.ts';
import { deleteInvitationsWith } from '../document/sharing/document-invitation-store.ts';
import { deleteTrashedCollaborationsWith } from '../document/trash/trash-store.ts';
import { FieldError, ServiceError } from '../errors.ts';
import { decideAccept, decideInvite, lapsedLately, stillGood } from '../invitation/invitation.ts';
import type { Page, PageRequest } from '../pagination/result-page.ts';
import { normaliseId } from '../schema/id.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';
import {
  countAdmins,
  deleteMembership,
  findRelation,
  findRole,
  insertMembership,
  listMembers,
  listRelations,
  type MemberRow,
  type RelationRow,
  updateRole,
} from './membership-store.ts';
import {
  deleteOrganizationInvitation,
  findOrganizationInvitationOf,
  insertOrganizationInvitation,
  listInvitationsOfOrganization,
  listOrganizationInvitationsOfTarget,
  type OrganizationInvitationRow,
} from './organization-invitation-store.ts';
import { requireAllowed, requireOrganization, requireRole } from './organization-service.ts';
import type { Role } from './roles.ts';

/** Lists an organization's members, newest first. @throws NOT_FOUND, FORBIDDEN */
export async function listOrganizationMembers(
  context: Context,
  actor: Actor,
  org: string,
  page: PageRequest,
): Promise<Page<MemberRow>> {
  const { id } = await requireAllowed(context.sql.read, actor, 'seeMembers', org);
  return listMembers(context.sql.read, id, page);
}

/** Counts an organization's admins. @throws NOT_FOUND, FORBIDDEN */
export async function countOrganizationAdmins(
  context: Context,
  actor: Actor,
  org: string,
): Promise<number> {
  const { id } = await requireAllowed(context.sql.read, actor, 'seeMembers', org);
  return countAdmins(context.sql.read, id);
}

/**
 * Invites a user to an organization, or changes a member's role.
 *
 * @returns the invitation's id, or `undefined` if a member's role changed
 * @throws NOT_FOUND for the organization or the user; FORBIDDEN; UNPROCESSABLE for the last admin
 *   and for a user with a pending invitation; TooManyAttempts
 */
export async function inviteOrChangeMember(
  context: Context,
  actor: Actor,
  org: string,
  username: string,
  role: Role,
): Promise<{ id: string } | undefined> {
  const invite = async (tx: Writer, spend: () => void) => {
    const organization = await requireAllowed(tx, actor, 'invite', org);
    const account = await requireAccount(tx, username);
    const organizationId = organization.id;
    const currentRole = await findRole(tx, organizationId, account.id);
    const invitation = await findOrganizationInvitationOf(tx, organizationId, account.id);
    const now = context.now();
    switch (decideInvite({ isMember: currentRole !== undefined, invitation }, now)) {
      case 'change-member':
        requireRole(organization.role, 'changeRole');
        if (role !== 'admin') await requireAnotherAdmin(tx, organizationId, currentRole);
        await updateRole(tx, organizationId, account.id, role);
        return undefined;
      case 'refuse-duplicate':
        throw new FieldError(
          'UNPROCESSABLE',
          'username',
          `“${account.username}” already has a pending invitation.`,
        );
      case 'replace-expired':
        await deleteOrganizationInvitation(
          tx,
          organizationId,
          (invitation as OrganizationInvitationRow).id,
        );
    }
    // Someone who can invite but not change roles can invite only members.
    if (role === 'admin') requireRole(organization.role, 'changeRole');
    spend();
    const id = context.newId();
    await insertOrganizationInvitation(tx, {
      id,
      organizationId,
      targetId: account.id,
      role,
      invitedBy: actor.id,
      createdAt: now,
      expiresAt: later(now, context.invitationLifetimeMs),
    });
    return { id };
  };
  return countInvitation(context, actor, (spend) =>
    changeOwned(context, org, (tx) => invite(tx, spend)),
  );
}

/**
 * Removes a member. Ends all their access to the organization's documents, including collaborations
 * on documents they created (decisions, part "Collaborators and invitations").
 *
 * @throws NOT_FOUND, FORBIDDEN; UNPROCESSABLE for the last admin
 */
export async function removeMember(
  context: Context,
  actor: Actor,
  org: string,
  username: string,
): Promise<void> {
  await changeOwned(context, org, async (tx) => {
    const organization = await requireAllowed(tx, actor, 'removeMember', org);
    const account = await requireAccount(tx, username);
    const role = await findRole(tx, organization.id, account.id);
    if (!role) throw notMember(username);
    await requireAnotherAdmin(tx, organization.id, role);
    await endMembership(tx, organization.id, account.id);
  });
  context.wakeIndexer();
}

/** A member and what removing them ends. */
export interface Removal {
  username: string;
  role: Role;
  /** How many of the organization's documents the member collaborates on. */
  collaborations: number;
}

/** Describes what removing a member ends. @throws NOT_FOUND, FORBIDDEN */
export async function describeRemoval(
  context: Context,
  actor: Actor,
  org: string,
  username: string,
): Promise<Removal> {
  const { read } = context.sql;
  const { id } = await requireAllowed(read, actor, 'removeMember', org);
  const account = await requireAccount(read, username);
  const role = await findRole(read, id, account.id);
  if (!role) throw notMember(username);
  const collaborations = await countCollaborationsWith(read, id, account.id);
  return { username: account.username, role, collaborations };
}

/** Counts an organization's documents the actor collaborates on. @throws NOT_FOUND, FORBIDDEN */
export async function countOwnCollaborations(
  context: Context,
  actor: Actor,
  org: string,
): Promise<number> {
  const { id } = await requireAllowed(context.sql.read, actor, 'seeMembers', org);
  return countCollaborationsWith(context.sql.read, id, actor.id);
}

/** Lists an organization's pending invitations, newest first. @throws NOT_FOUND, FORBIDDEN */
export async function listOrganizationInvitations(
  context: Context,
  actor: Actor,
  org: string,
  page: PageRequest,
): Promise<Page<OrganizationInvitationRow>> {
  const { id } = await requireAllowed(context.sql.read, actor, 'invite', org);
  return listInvitationsOfOrganization(context.sql.read, id, page);
}

/** Cancels a pending invitation. @throws NOT_FOUND, FORBIDDEN */
export async function cancelOrganizationInvitation(
  context: Context,
  actor: Actor,
  org: string,
  invitationId: string,
): Promise<void> {
  await changeOwned(context, org, async (tx) => {
    const { id } = await requireAllowed(tx, actor, 'invite', org);
    if (!(await deleteOrganizationInvitation(tx, id, normaliseId(invitationId)))) {
      throw new FieldError('NOT_FOUND', 'inviteId', 'no pending invitation has this id.');
    }
  });
}

/** Lists the invitations to organizations that the actor can accept, newest first. */
export async function listOwnOrganizationInvitations(
  context: Context,
  actor: Actor,
  page: PageRequest,
): Promise<Page<OrganizationInvitationRow>> {
  const expiry = stillGood(context.now());
  return listOrganizationInvitationsOfTarget(context.sql.read, actor.id, expiry, page);
}

/**
 * Lists the actor's invitations to organizations that expired in the last 30 days, newest first.
 */
export async function listOwnExpiredOrganizationInvitations(
  context: Context,
  actor: Actor,
  page: PageRequest,
): Promise<Page<OrganizationInvitationRow>> {
  const expiry = lapsedLately(context.now());
  return listOrganizationInvitationsOfTarget(context.sql.read, actor.id, expiry, page);
}

/** Returns the actor's pending invitation to an organization, expired or not. @throws NOT_FOUND */
export async function getOwnOrganizationInvitation(
  context: Context,
  actor: Actor,
  org: string,
): Promise<OrganizationInvitationRow> {
  const { id } = await requireOrganization(context.sql.read, actor, org);
  return requireOwnInvitation(context.sql.read, actor, id);
}

/** Lists the actor's memberships and valid invitations, newest first. */
export async function listMemberships(
  context: Context,
  actor: Actor,
  state: 'active' | 'pending' | undefined,
  page: PageRequest,
): Promise<Page<RelationRow>> {
  const filter = { accountId: actor.id, now: context.now(), state };
  return listRelations(context.sql.read, filter, page);
}

/** Returns the actor's relation to one organization. @throws NOT_FOUND if there is none */
export async function getMembership(
  context: Context,
  actor: Actor,
  org: string,
): Promise<RelationRow> {
  const { id } = await requireOrganization(context.sql.read, actor, org);
  return requireRelation(context, context.sql.read, actor, id);
}

/**
 * Accepts the actor's pending invitation.
 *
 * @throws NOT_FOUND if there is none, UNPROCESSABLE if it has expired
 */
export async function acceptMembership(
  context: Context,
  actor: Actor,
  org: string,
): Promise<RelationRow> {
  return changeOwned(context, org, async (tx) => {
    const { id: organizationId } = await requireOrganization(tx, actor, org);
    const invitation = await requireOwnInvitation(tx, actor, organizationId);
    const now = context.now();
    if (decideAccept(invitation, now) === 'refuse-expired') {
      throw new ServiceError('UNPROCESSABLE', 'This invitation has expired. Ask for a new one.');
    }
    await deleteOrganizationInvitation(tx, organizationId, invitation.id);
    await insertMembership(tx, {
      id: context.newId(),
      organizationId,
      accountId: actor.id,
      role: invitation.role,
      joinedAt: now,
    });
    return requireRelation(context, tx, actor, organizationId);
  });
}

/** Declines the actor's pending invitation. @throws NOT_FOUND if there is none */
export async function declineMembership(
  context: Context,
  actor: Actor,
  org: string,
): Promise<void> {
  await changeOwned(context, org, async (tx) => {
    const { id: organizationId } = await requireOrganization(tx, actor, org);
    const { id } = await requireOwnInvitation(tx, actor, organizationId);
    await deleteOrganizationInvitation(tx, organizationId, id);
  });
}

/**
 * Declines the actor's pending invitation, or ends their membership like {@link removeMember}.
 *
 * @throws NOT_FOUND if there is neither, UNPROCESSABLE for the last admin
 */
export async function leaveOrganization(
  context: Context,
  actor: Actor,
  org: string,
): Promise<void> {
  await changeOwned(context, org, async (tx) => {
    const { id: organizationId, role } = await requireOrganization(tx, actor, org);
    if (role !== null) {
      await requireAnotherAdmin(tx, organizationId, role);
      await endMembership(tx, organizationId, actor.id);
      return;
    }
    const invitation = await requireOwnInvitation(tx, actor, organizationId);
    await deleteOrganizationInvitation(tx, organizationId, invitation.id);
  });
  context.wakeIndexer();
}

/**
 * Checks that the actor has a pending invitation, before the request is validated.
 *
 * @throws NOT_FOUND
 */
export async function requireInvited(db: Reader, actor: Actor, org: string): Promise<void> {
  const { id } = await requireOrganization(db, actor, org);
  await requireOwnInvitation(db, actor, id);
}

async function requireRelation(
  context: Context,
  db: Reader,
  actor: Actor,
  organizationId: string,
): Promise<RelationRow> {
  const filter = { accountId: actor.id, now: context.now(), organizationId };
  const relation = await findRelation(db, filter);
  if (!relation) {
    throw new FieldError(
      'NOT_FOUND',
      'org',
      'you are not a member of this organization and not invited.',
    );
  }
  return relation;
}

async function requireOwnInvitation(
  db: Reader,
  actor: Actor,
  organizationId: string,
): Promise<OrganizationInvitationRow> {
  const invitation = await findOrganizationInvitationOf(db, organizationId, actor.id);
  if (!invitation) {
    throw new FieldError(
      'NOT_FOUND',
      'org',
      'you have no pending invitation to this organization.',
    );
  }
  return invitation;
}

/** Deletes a membership with the person's collaborations and pending invitations there. */
async function endMembership(tx: Writer, organizationId: string, accountId: string): Promise<void> {
  // Before the next statement, which deletes the collaborations it looks up.
  await insertPendingOfCollaborator(tx, organizationId, accountId);
  await deleteCollaborationsWith(tx, organizationId, accountId);
  await deleteTrashedCollaborationsWith(tx, organizationId, accountId);
  await deleteInvitationsWith(tx, organizationId, accountId);
  await deleteMembership(tx, organizationId, accountId);
}

function notMember(username: string): ServiceError {
  return new FieldError(
    'NOT_FOUND',
    'username',
    `“${username.slice(0, 100)}” is not a member of this organization.`,
  );
}

/** Requires another admin: an organization always has one. */
async function requireAnotherAdmin(
  tx: Writer,
  organizationId: string,
  currentRole: Role | undefined,
): Promise<void> {
  if (currentRole === 'admin' && (await countAdmins(tx, organizationId)) === 1) {
    throw new ServiceError(
      'UNPROCESSABLE',
      'This is the only admin of the organization. Add another admin first.',
    );
  }
}
