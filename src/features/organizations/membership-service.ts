import { FieldError, type ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Actor, Context } from '../../core/context.ts';
import {
  notExpiredAt,
  recentlyExpiredAt,
  requireNotExpired,
} from '../../core/owner/invitation-state.ts';
import {
  findRelation,
  insertMembership,
  listRelations,
  type RelationRow,
} from '../../core/owner/membership-store.ts';
import { requireOrganization } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { isStillInvited } from '../invitations/offer-service.ts';
import { endMembership, requireAnotherAdmin } from './end-membership.ts';
import {
  deleteOrganizationInvitation,
  findOrganizationInvitationOf,
  listOrganizationInvitationsOfTarget,
  type OrganizationInvitationRow,
} from './organization-invitation-store.ts';

/** Lists the invitations to organizations that the actor can accept, newest first. */
export async function listOwnOrganizationInvitations(
  context: Context,
  actor: Actor,
  page: PageRequest,
): Promise<Page<OrganizationInvitationRow>> {
  const expiry = notExpiredAt(context.now());
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
  const expiry = recentlyExpiredAt(context.now());
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
 * @throws NOT_FOUND if there is none, or the inviter can no longer invite in this role;
 *   UNPROCESSABLE if it has expired
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
    if (!(await isStillInvited(tx, invitation))) throw noInvitation();
    requireNotExpired(invitation, now);
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
 * Declines the actor's pending invitation, or ends their membership like removing a member.
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
  if (!invitation) throw noInvitation();
  return invitation;
}

function noInvitation(): ServiceError {
  return new FieldError('NOT_FOUND', 'org', 'you have no pending invitation to this organization.');
}
