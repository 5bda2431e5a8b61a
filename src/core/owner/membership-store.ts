import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { notExpiredAt } from './invitation-state.ts';
import { expiresWithin } from './invitation-store.ts';
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

/** A user's membership of an organization or invitation to it. */
export interface RelationRow {
  state: 'active' | 'pending';
  id: string;
  role: Role;
  organizationId: string;
  organizationNamespace: string;
  organizationName: string;
  invitedBy: string | null;
  /** `null` if the account was deleted. */
  invitedByUsername: string | null;
  createdAt: string;
}

export interface RelationFilter {
  accountId: string;
  /** Expired invitations are left out. */
  now: string;
  state?: 'active' | 'pending' | undefined;
  organizationId?: string;
}

/** Lists a user's memberships and valid invitations, newest first. */
export async function listRelations(
  db: Reader,
  filter: RelationFilter,
  page: PageRequest,
): Promise<Page<RelationRow>> {
  return paginate(relations(db, filter), 'relation.id', page);
}

/** Finds a user's relation to one organization. */
export async function findRelation(
  db: Reader,
  filter: RelationFilter & { organizationId: string },
): Promise<RelationRow | undefined> {
  return relations(db, filter).executeTakeFirst();
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

function relations(db: Reader, { accountId, now, state, organizationId }: RelationFilter) {
  const active = db
    .selectFrom('membership')
    .where('membership.account_id', '=', accountId)
    .select([
      sql<'active' | 'pending'>`'active'`.as('state'),
      'membership.id as id',
      'membership.role as role',
      'membership.organization_id as organizationId',
      sql<string | null>`null`.as('invitedBy'),
      'membership.joined_at as createdAt',
    ]);
  const pending = db
    .selectFrom('organization_invitation')
    .where('organization_invitation.target_id', '=', accountId)
    .where(expiresWithin(sql.ref('organization_invitation.expires_at'), notExpiredAt(now)))
    .select([
      sql<'active' | 'pending'>`'pending'`.as('state'),
      'organization_invitation.id as id',
      'organization_invitation.role as role',
      'organization_invitation.organization_id as organizationId',
      'organization_invitation.invited_by as invitedBy',
      'organization_invitation.created_at as createdAt',
    ]);
  let rows = db
    .selectFrom(active.unionAll(pending).as('relation'))
    .innerJoin('organization', 'organization.id', 'relation.organizationId')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .leftJoin('owner as inviter', 'inviter.id', 'relation.invitedBy')
    .select([
      'relation.state',
      'relation.id',
      'relation.role',
      'relation.organizationId',
      'owner.namespace as organizationNamespace',
      'organization.name as organizationName',
      'relation.invitedBy',
      'inviter.namespace as invitedByUsername',
      'relation.createdAt',
    ]);
  if (state) rows = rows.where('relation.state', '=', state);
  if (organizationId) rows = rows.where('relation.organizationId', '=', organizationId);
  return rows;
}
