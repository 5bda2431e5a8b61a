import type { Reader } from '../../storage/sql/sql.ts';
import { holdingPrefix } from './prefix.ts';

/** An organization, as administrators of the instance see it. */
export interface OrganizationFacts {
  id: string;
  namespace: string;
  name: string;
  createdAt: string;
}

/** Which organizations to list: all, or those without an admin whose account works. */
export const ORGANIZATION_FILTERS = ['all', 'adminless'] as const;
export type OrganizationFilter = (typeof ORGANIZATION_FILTERS)[number];

/** Lists organizations, newest first. */
export async function listOrganizationRows(
  db: Reader,
  {
    filter,
    prefix,
    before,
    size,
  }: {
    filter: OrganizationFilter;
    /** What the namespace begins with, in lower case. */
    prefix?: string | undefined;
    /** The id of the last organization of the page before. */
    before?: string | undefined;
    size: number;
  },
): Promise<OrganizationFacts[]> {
  return organizations(db)
    .$if(filter === 'adminless', (rows) =>
      rows.where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('stored_membership as membership')
              .innerJoin('account', 'account.id', 'membership.account_id')
              .whereRef('membership.organization_id', '=', 'organization.id')
              .where('membership.role', '=', 'admin')
              .where('account.disabled_at', 'is', null)
              .select('membership.id'),
          ),
        ),
      ),
    )
    .$if(before !== undefined, (rows) => rows.where('organization.id', '<', before as string))
    .$if(prefix !== undefined, (rows) => {
      const [from, to] = holdingPrefix(prefix as string);
      return rows.where('owner.namespace', '>=', from).where('owner.namespace', '<', to);
    })
    .orderBy('organization.id', 'desc')
    .limit(size)
    .execute();
}

/** Finds the organization with a namespace (normalised). */
export async function findOrganizationFacts(
  db: Reader,
  namespace: string,
): Promise<OrganizationFacts | undefined> {
  return organizations(db).where('owner.namespace', '=', namespace).executeTakeFirst();
}

function organizations(db: Reader) {
  return db
    .selectFrom('organization')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .select([
      'organization.id',
      'owner.namespace',
      'organization.name',
      'organization.created_at as createdAt',
    ]);
}

/** How many members an organization has. */
export interface MemberCounts {
  members: number;
  admins: number;
  /** Admins whose accounts aren't disabled. */
  activeAdmins: number;
}

/** Counts the members of organizations. */
export async function countMembersOf(
  db: Reader,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, MemberCounts>> {
  const counts = new Map<string, MemberCounts>(
    organizationIds.map((id) => [id, { members: 0, admins: 0, activeAdmins: 0 }]),
  );
  if (organizationIds.length === 0) return counts;
  const rows = await db
    .selectFrom('stored_membership as membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .where('membership.organization_id', 'in', organizationIds)
    .groupBy(['membership.organization_id', 'membership.role'])
    .select(({ fn }) => [
      'membership.organization_id as id',
      'membership.role',
      fn.countAll<number>().as('all'),
      fn.count<number>('account.disabled_at').as('disabled'),
    ])
    .execute();
  for (const { id, role, all, disabled } of rows) {
    const one = counts.get(id) as MemberCounts;
    one.members += Number(all);
    if (role !== 'admin') continue;
    one.admins = Number(all);
    one.activeAdmins = Number(all) - Number(disabled);
  }
  return counts;
}

/** A member of an organization. */
export interface MemberFacts {
  username: string;
  role: 'admin' | 'member';
  joinedAt: string;
  disabledAt: string | null;
}

/** Lists the members of an organization, admins first, then those who joined first. */
export async function listMemberFacts(
  db: Reader,
  organizationId: string,
  limit: number,
): Promise<MemberFacts[]> {
  return db
    .selectFrom('stored_membership as membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .innerJoin('owner', 'owner.id', 'membership.account_id')
    .where('membership.organization_id', '=', organizationId)
    .select([
      'owner.namespace as username',
      'membership.role',
      'membership.joined_at as joinedAt',
      'account.disabled_at as disabledAt',
    ])
    .orderBy('membership.role')
    .orderBy('membership.id')
    .limit(limit)
    .execute();
}
