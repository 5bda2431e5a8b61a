import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Call } from '../../core/context.ts';
import { requireOrganization } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import {
  acceptInvitation,
  invitationTo,
  requireInvitation,
} from '../invitations/answer-service.ts';
import { deleteInvitation } from '../invitations/invitation-store.ts';
import { endMembership, requireAnotherAdmin } from './end-membership.ts';
import {
  type ActiveMembership,
  findRelation,
  listRelations,
  type RelationRow,
} from './relation-store.ts';

/** Lists the actor's memberships and valid invitations, newest first. */
export async function listMemberships(
  call: Call,
  state: 'active' | 'pending' | undefined,
  page: PageRequest,
): Promise<Page<RelationRow>> {
  const filter = { accountId: call.actor.id, now: call.now(), state };
  return listRelations(call.sql.read, filter, page);
}

/**
 * Returns the actor's relation to one organization, as the list of all does also if the actor lacks the
 * second factor that it requires.
 *
 * @throws NOT_FOUND if there is none
 */
export async function getMembership(call: Call, org: string): Promise<RelationRow> {
  const { id } = await requireOrganization(call.sql.read, call.actor, org, { evenShutOut: true });
  return requireRelation(call, call.sql.read, id);
}

/**
 * Accepts the actor's pending invitation.
 *
 * @returns the new membership
 * @throws like {@link acceptInvitation}; NOT_FOUND also if there is no such organization
 */
export async function acceptMembership(call: Call, org: string): Promise<ActiveMembership> {
  const accepted = await acceptInvitation(call, invitationTo(call.actor, org));
  const { organizationId, organizationName, ownerNamespace, level } = accepted;
  return {
    state: 'active',
    role: level,
    organizationId,
    organizationNamespace: ownerNamespace,
    organizationName,
  };
}

/**
 * Declines the actor's pending invitation, or ends their membership like removing a member.
 *
 * @throws NOT_FOUND if there is neither, UNPROCESSABLE for the last admin
 */
export async function leaveOrganization(call: Call, org: string): Promise<void> {
  const { actor } = call;
  await changeOwned(call, org, async (tx) => {
    const evenShutOut = { evenShutOut: true };
    const organization = await requireOrganization(tx, actor, org, evenShutOut);
    const { id: organizationId, namespace, heldRole: role } = organization;
    const of = { actor, ownerId: organizationId, subject: namespace };
    if (role !== null) {
      await requireAnotherAdmin(tx, organizationId, { id: actor.id, role });
      await endMembership(tx, organizationId, actor.id);
      const detail = { username: actor.username };
      await audit(call, tx, { action: 'member.removed', ...of, detail });
      return;
    }
    const invitation = await requireInvitation(tx, invitationTo(actor, org));
    await deleteInvitation(tx, invitation.id);
    await audit(call, tx, { action: 'invitation.declined', ...of });
  });
  call.wakeIndexer();
}

/**
 * Checks that the actor has a pending invitation, before the request is validated.
 *
 * @throws NOT_FOUND
 */
export async function requireInvited(db: Reader, actor: Actor, org: string): Promise<void> {
  await requireInvitation(db, invitationTo(actor, org));
}

async function requireRelation(
  call: Call,
  db: Reader,
  organizationId: string,
): Promise<RelationRow> {
  const filter = { accountId: call.actor.id, now: call.now(), organizationId };
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
