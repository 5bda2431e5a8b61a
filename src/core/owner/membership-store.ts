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
}

/** Lists an organization's members, newest first. */
export async function listMembers(
  db: Reader,
  organizationId: string,
  page: PageRequest,
): Promise<Page<MemberRow>> {
  const rows = db
    .selectFrom('membership')
    .innerJoin('owner', 'owner.id', 'membership.account_id')
    .where('membership.organization_id', '=', organizationId)
    .select([
      'membership.account_id as id',
      'owner.namespace as username',
      'membership.role',
      'membership.joined_at as joinedAt',
    ]);
  return paginate(rows, 'membership.id', page);
}

/** An organization that a user belongs to. */
export interface OwnOrganizationRow {
  id: string;
  namespace: string;
  name: string;
  role: Role;
  joinedAt: string;
}

/** Lists the organizations a user belongs to, the latest joined first. */
export async function listOrganizationsOf(
  db: Reader,
  accountId: string,
  page: PageRequest,
): Promise<Page<OwnOrganizationRow>> {
  const rows = db
    .selectFrom('membership')
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

export async function findRole(
  db: Reader,
  organizationId: string,
  accountId: string,
): Promise<Role | undefined> {
  const row = await db
    .selectFrom('membership')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.role;
}

export async function countAdmins(db: Reader, organizationId: string): Promise<number> {
  const { admins } = await db
    .selectFrom('membership')
    .select((builder) => builder.fn.countAll<number>().as('admins'))
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow();
  return Number(admins);
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
    .insertInto('membership')
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
    .updateTable('membership')
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
    .deleteFrom('membership')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .execute();
}

/** Lists the ids of all members of an organization. */
export async function listMemberIds(db: Reader, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('membership')
    .where('organization_id', '=', organizationId)
    .select('account_id')
    .execute();
  return rows.map((row) => row.account_id);
}
