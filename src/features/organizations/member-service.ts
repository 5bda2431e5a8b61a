import { FieldError, type ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import { countCollaborationsWith } from '../../core/document/collaborator-store.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import {
  countAdmins,
  findHeldRole,
  listMembers,
  listMembersWithoutSecondFactor,
  type MemberRow,
  updateRole,
} from '../../core/owner/membership-store.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { inviteOrChange } from '../invitations/invitation-service.ts';
import { endOffers, listEndingOffers } from '../invitations/offer-service.ts';
import type { OfferRow } from '../invitations/offer-store.ts';
import { endMembership, requireAnotherAdmin } from './end-membership.ts';

/** Lists an organization's members, newest first. @throws NOT_FOUND, FORBIDDEN */
export async function listOrganizationMembers(
  call: Call,
  org: string,
  page: PageRequest,
): Promise<Page<MemberRow>> {
  const { id } = await requireAllowed(call.sql.read, call.actor, 'seeMembers', org);
  return listMembers(call.sql.read, id, page);
}

/** How many members without a second factor are named. */
const WITHOUT_SHOWN = 50;

/** Lists the first members who have no second factor, for admins. @throws NOT_FOUND, FORBIDDEN */
export async function listWithoutSecondFactor(call: Call, org: string): Promise<string[]> {
  const { id } = await requireAllowed(call.sql.read, call.actor, 'changeSettings', org);
  return listMembersWithoutSecondFactor(call.sql.read, id, WITHOUT_SHOWN);
}

/** Counts an organization's admins. @throws NOT_FOUND, FORBIDDEN */
export async function countOrganizationAdmins(call: Call, org: string): Promise<number> {
  const { id } = await requireAllowed(call.sql.read, call.actor, 'seeMembers', org);
  return countAdmins(call.sql.read, id);
}

/**
 * Invites a user to an organization, or changes a member's role.
 *
 * @returns the invitation's id, or `undefined` if a member's role changed
 * @throws like {@link inviteOrChange}; UNPROCESSABLE for the last admin
 */
export async function inviteOrChangeMember(
  call: Call,
  org: string,
  username: string,
  role: Role,
): Promise<{ id: string } | undefined> {
  const invited = await inviteOrChange(
    call,
    { org },
    { username, level: role },
    async (tx, account, { id: organizationId, about }) => {
      const current = await findHeldRole(tx, organizationId, account.id);
      if (current === undefined) return false;
      await requireAllowed(tx, call.actor, 'changeRole', org);
      if (role !== 'admin')
        await requireAnotherAdmin(tx, organizationId, { id: account.id, role: current });
      await updateRole(tx, organizationId, account.id, role);
      await endOffers(tx, { makerId: account.id, organizationId });
      await audit(call, tx, {
        action: 'member.level_changed',
        actor: call.actor,
        accountId: account.id,
        ...about,
        detail: { username: account.username, level: role },
      });
      return true;
    },
  );
  return invited && { id: invited.id };
}

/**
 * Removes a member. Ends all their access to the organization's documents, including collaborations
 * on documents they created (decisions, part "Collaborators and invitations").
 *
 * @throws NOT_FOUND, FORBIDDEN; UNPROCESSABLE for the last admin
 */
export async function removeMember(call: Call, org: string, username: string): Promise<void> {
  await changeOwned(call, org, async (tx) => {
    const organization = await requireAllowed(tx, call.actor, 'removeMember', org);
    const account = await requireAccount(tx, username);
    const role = await findHeldRole(tx, organization.id, account.id);
    if (!role) throw notMember(username);
    await requireAnotherAdmin(tx, organization.id, { id: account.id, role });
    await endMembership(tx, organization.id, account.id);
    await audit(call, tx, {
      action: 'member.removed',
      actor: call.actor,
      accountId: account.id,
      ownerId: organization.id,
      subject: organization.namespace,
      detail: { username: account.username },
    });
  });
  call.wakeIndexer();
}

/** A member and what removing them ends. */
export interface Removal {
  username: string;
  role: Role;
  /** How many of the organization's documents the member collaborates on. */
  collaborations: number;
  /** What the member invited others to there. */
  ending: OfferRow[];
}

/** What a member has who is removed. */
const NOTHING = { role: null, permission: null } as const;

/** Describes what removing a member ends. @throws NOT_FOUND, FORBIDDEN */
export async function describeRemoval(call: Call, org: string, username: string): Promise<Removal> {
  const { read } = call.sql;
  const { id } = await requireAllowed(read, call.actor, 'removeMember', org);
  const account = await requireAccount(read, username);
  const role = await findHeldRole(read, id, account.id);
  if (!role) throw notMember(username);
  return { username: account.username, role, ...(await endsFor(call, id, account.id)) };
}

/** Describes what leaving an organization ends for the actor. @throws NOT_FOUND, FORBIDDEN */
export async function describeLeaving(
  call: Call,
  org: string,
): Promise<Pick<Removal, 'collaborations' | 'ending'>> {
  const { id } = await requireAllowed(call.sql.read, call.actor, 'seeMembers', org);
  return endsFor(call, id, call.actor.id);
}

async function endsFor(
  context: Context,
  organizationId: string,
  makerId: string,
): Promise<Pick<Removal, 'collaborations' | 'ending'>> {
  const { read } = context.sql;
  const [collaborations, ending] = await Promise.all([
    countCollaborationsWith(read, organizationId, makerId),
    listEndingOffers(read, { makerId, organizationId }, NOTHING, context.now()),
  ]);
  return { collaborations, ending };
}

/**
 * Lists the pending invitations and secret links in an organization that end when the member who
 * made them gets another role.
 *
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function listEndingWithRole(
  call: Call,
  org: string,
  username: string,
  role: Role,
): Promise<OfferRow[]> {
  const { read } = call.sql;
  const { id: organizationId } = await requireAllowed(read, call.actor, 'changeRole', org);
  const { id: makerId } = await requireAccount(read, username);
  return listEndingOffers(read, { makerId, organizationId }, { role }, call.now());
}

function notMember(username: string): ServiceError {
  return new FieldError(
    'NOT_FOUND',
    'username',
    `“${username.slice(0, 100)}” is not a member of this organization.`,
  );
}
