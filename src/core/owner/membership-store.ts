import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Role } from './organization-access.ts';

/** A member; `id` is the user's. */
export type MemberRow = RowOf<typeof members>;

function members(db: Reader, organizationId: string) {
  return db
    .selectFrom('stored_membership as membership')
    .innerJoin('owner', 'owner.id', 'membership.accountId')
    .innerJoin('account', 'account.id', 'membership.accountId')
    .where('membership.organizationId', '=', organizationId)
    .select([
      'membership.accountId as id',
      'owner.namespace as username',
      'membership.role',
      'membership.joinedAt',
      'account.secondFactorAt',
    ]);
}

/** Lists an organization's members, also those whose membership doesn't count, newest first. */
export async function listMembers(
  db: Reader,
  organizationId: string,
  page: PageRequest,
): Promise<Page<MemberRow>> {
  return paginate(members(db, organizationId), 'membership.id', page);
}

/** Lists the first members who have no second factor, by name. */
export async function listMembersWithoutSecondFactor(
  db: Reader,
  organizationId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('stored_membership as membership')
    .innerJoin('owner', 'owner.id', 'membership.accountId')
    .innerJoin('account', 'account.id', 'membership.accountId')
    .where('membership.organizationId', '=', organizationId)
    .where('account.secondFactorAt', 'is', null)
    .select('owner.namespace as username')
    .orderBy('owner.namespace')
    .limit(limit)
    .execute();
  return rows.map(({ username }) => username);
}

/** An organization that a user belongs to. */
export type OwnOrganizationRow = RowOf<typeof organizationsOf>;

function organizationsOf(db: Reader, accountId: string) {
  return db
    .selectFrom('stored_membership as membership')
    .innerJoin('organization', 'organization.id', 'membership.organizationId')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .where('membership.accountId', '=', accountId)
    .select([
      'organization.id',
      'owner.namespace',
      'organization.name',
      'membership.role',
      'membership.joinedAt',
    ]);
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
  return paginate(organizationsOf(db, accountId), 'membership.id', page);
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
    .where('organizationId', '=', organizationId)
    .where('accountId', '=', accountId)
    .executeTakeFirst();
  return row?.role;
}

/** Counts the admins, also those whose membership doesn't count. */
export async function countAdmins(db: Reader, organizationId: string): Promise<number> {
  const { admins } = await db
    .selectFrom('stored_membership')
    .select((builder) => builder.fn.countAll<number>().as('admins'))
    .where('organizationId', '=', organizationId)
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
    .where('organizationId', '=', organizationId)
    .where('role', '=', 'admin')
    .where('accountId', '<>', accountId)
    .executeTakeFirst();
  return other !== undefined;
}

export async function insertMembership(
  db: Writer,
  membership: Row<'stored_membership'>,
): Promise<void> {
  await db.insertInto('stored_membership').values(membership).execute();
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
    .where('organizationId', '=', organizationId)
    .where('accountId', '=', accountId)
    .execute();
}

export async function deleteMembership(
  db: Writer,
  organizationId: string,
  accountId: string,
): Promise<void> {
  await db
    .deleteFrom('stored_membership')
    .where('organizationId', '=', organizationId)
    .where('accountId', '=', accountId)
    .execute();
}

/** Lists the ids of an organization's admins, the first to join first. */
export async function listAdminIds(db: Reader, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('membership')
    .where('organizationId', '=', organizationId)
    .where('role', '=', 'admin')
    .select('accountId as id')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function listMemberIds(db: Reader, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('stored_membership')
    .where('organizationId', '=', organizationId)
    .select('accountId')
    .execute();
  return rows.map((row) => row.accountId);
}
