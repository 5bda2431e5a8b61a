import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { holdingPrefix } from './prefix.ts';

/** An organization, as administrators of the instance see it. */
export type OrganizationFacts = RowOf<typeof organizations>;

/** Which organizations to list: all, or those without an admin whose account works. */
export const ORGANIZATION_FILTERS = ['all', 'adminless'] as const;
export type OrganizationFilter = (typeof ORGANIZATION_FILTERS)[number];

/**
 * Lists organizations, newest first. Counts and skips ids only, in their index.
 *
 * @param which.prefix what the namespace begins with, in lower case
 */
export async function listOrganizationRows(
  db: Reader,
  { filter, prefix }: { filter: OrganizationFilter; prefix?: string | undefined },
  page: PageRequest,
): Promise<Page<OrganizationFacts>> {
  const ids = db
    .selectFrom('organization')
    .select('organization.id')
    .$if(filter === 'adminless', (rows) =>
      rows.where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('stored_membership as membership')
              .innerJoin('account', 'account.id', 'membership.accountId')
              .whereRef('membership.organizationId', '=', 'organization.id')
              .where('membership.role', '=', 'admin')
              .where('account.disabledAt', 'is', null)
              .select('membership.id'),
          ),
        ),
      ),
    )
    .$if(prefix !== undefined, (rows) => {
      const [from, to] = holdingPrefix(prefix as string);
      const named = db
        .selectFrom('owner')
        .where('namespace', '>=', from)
        .where('namespace', '<', to)
        .select('id');
      return rows.where('organization.id', 'in', named);
    });
  const { items, total } = await paginate(ids, 'organization.id', page);
  if (items.length === 0) return { items: [], total };
  const found = items.map(({ id }) => id);
  const rows = organizations(db).where('organization.id', 'in', found);
  return { items: await rows.orderBy('organization.id', 'desc').execute(), total };
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
    .select(['organization.id', 'owner.namespace', 'organization.name', 'organization.createdAt']);
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
    .innerJoin('account', 'account.id', 'membership.accountId')
    .where('membership.organizationId', 'in', organizationIds)
    .groupBy(['membership.organizationId', 'membership.role'])
    .select(({ fn }) => [
      'membership.organizationId as id',
      'membership.role',
      fn.countAll<number>().as('all'),
      fn.count<number>('account.disabledAt').as('disabled'),
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
export type MemberFacts = Row<'membership', 'role' | 'joinedAt'> &
  Row<'account', 'disabledAt'> & { username: string };

/** Lists the members of an organization, admins first, then those who joined first. */
export async function listMemberFacts(
  db: Reader,
  organizationId: string,
  limit: number,
): Promise<MemberFacts[]> {
  return db
    .selectFrom('stored_membership as membership')
    .innerJoin('account', 'account.id', 'membership.accountId')
    .innerJoin('owner', 'owner.id', 'membership.accountId')
    .where('membership.organizationId', '=', organizationId)
    .select([
      'owner.namespace as username',
      'membership.role',
      'membership.joinedAt',
      'account.disabledAt',
    ])
    .orderBy('membership.role')
    .orderBy('membership.id')
    .limit(limit)
    .execute();
}
