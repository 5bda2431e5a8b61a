import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Role } from './organization-access.ts';

/** A member; `id` is the user's. */
export interface MemberRow {
  id: string;
  username: string;
  role: Role;
  joinedAt: string;
  /** Since when the user has a second factor; `null` if they have none. */
  secondFactorAt: string | null;
}

/** Lists an organization's members, also those whose membership doesn't count, newest first. */
export async function listMembers(
  db: Reader,
  organizationId: string,
  page: PageRequest,
): Promise<Page<MemberRow>> {
  const rows = db
    .selectFrom('stored_membership as membership')
    .innerJoin('owner', 'owner.id', 'membership.account_id')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .where('membership.organization_id', '=', organizationId)
    .select([
      'membership.account_id as id',
      'owner.namespace as username',
      'membership.role',
      'membership.joined_at as joinedAt',
      'account.second_factor_at as secondFactorAt',
    ]);
  return paginate(rows, 'membership.id', page);
}

/** Lists the first members who have no second factor, by name. */
export async function listMembersWithoutSecondFactor(
  db: Reader,
  organizationId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('stored_membership as membership')
    .innerJoin('owner', 'owner.id', 'membership.account_id')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .where('membership.organization_id', '=', organizationId)
    .where('account.second_factor_at', 'is', null)
    .select('owner.namespace as username')
    .orderBy('owner.namespace')
    .limit(limit)
    .execute();
  return rows.map(({ username }) => username);
}

/** An organization that a user belongs to. */
export interface OwnOrganizationRow {
  id: string;
  namespace: string;
  name: string;
  role: Role;
  joinedAt: string;
}

/**
 * Lists the organizations a user belongs to, also those where that doesn't count, the latest joined
 * first.
 */
export async function listOrganizationsOf(
  db: Reader,
  accountId: string,
  page: PageRequest,
): Promise<Page<OwnOrganizationRow>> {
  const rows = db
    .selectFrom('stored_membership as membership')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .where('membership.account_id', '=', accountId)
    .select([
      'organization.id',
      'owner.namespace',
      'organization.name',
      'membership.role',
      'membership.joined_at as joinedAt',
    ]);
  return paginate(rows, 'membership.id', page);
}

/** Finds the role that a user has, if the membership counts (see `membershipCounts`). */
export async function findRole(
  db: Reader,
  organizationId: string,
  accountId: string,
): Promise<Role | undefined> {
  return roleIn(db, 'membership', organizationId, accountId);
}

/** Finds the role that a user has, even if the membership doesn't count. */
export async function findHeldRole(
  db: Reader,
  organizationId: string,
  accountId: string,
): Promise<Role | undefined> {
  return roleIn(db, 'stored_membership as membership', organizationId, accountId);
}

async function roleIn(
  db: Reader,
  from: 'membership' | 'stored_membership as membership',
  organizationId: string,
  accountId: string,
): Promise<Role | undefined> {
  const row = await db
    .selectFrom(from as 'membership')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.role;
}

/** Counts the admins, also those whose membership doesn't count. */
export async function countAdmins(db: Reader, organizationId: string): Promise<number> {
  const { admins } = await db
    .selectFrom('stored_membership')
    .select((builder) => builder.fn.countAll<number>().as('admins'))
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow();
  return Number(admins);
}

/** Tells whether somebody else is an admin whose membership counts. */
export async function hasOtherAdmin(
  db: Reader,
  organizationId: string,
  accountId: string,
): Promise<boolean> {
  const other = await db
    .selectFrom('membership')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'admin')
    .where('account_id', '<>', accountId)
    .executeTakeFirst();
  return other !== undefined;
}

export async function insertMembership(
  db: Writer,
  membership: {
    id: string;
    organizationId: string;
    accountId: string;
    role: Role;
    joinedAt: string;
  },
): Promise<void> {
  await db
    .insertInto('stored_membership')
    .values({
      id: membership.id,
      organization_id: membership.organizationId,
      account_id: membership.accountId,
      role: membership.role,
      joined_at: membership.joinedAt,
    })
    .execute();
}

export async function updateRole(
  db: Writer,
  organizationId: string,
  accountId: string,
  role: Role,
): Promise<void> {
  await db
    .updateTable('stored_membership')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .execute();
}

export async function deleteMembership(
  db: Writer,
  organizationId: string,
  accountId: string,
): Promise<void> {
  await db
    .deleteFrom('stored_membership')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .execute();
}

/** Lists the ids of an organization's admins, the first to join first. */
export async function listAdminIds(db: Reader, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('membership')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'admin')
    .select('account_id as id')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
