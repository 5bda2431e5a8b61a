import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** A user's membership of an organization. */
export interface ActiveMembership {
  state: 'active';
  role: Role;
  organizationId: string;
  organizationNamespace: string;
  organizationName: string;
}

/** A user's membership of an organization or invitation to it. */
export interface RelationRow extends Omit<ActiveMembership, 'state'> {
  state: 'active' | 'pending';
  id: string;
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

function relations(db: Reader, { accountId, now, state, organizationId }: RelationFilter) {
  const active = db
    .selectFrom('stored_membership as membership')
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
    .selectFrom('invitation')
    .where('invitation.recipient_id', '=', accountId)
    .where('invitation.organization_id', 'is not', null)
    .where('invitation.expires_at', '>', now)
    .select([
      sql<'active' | 'pending'>`'pending'`.as('state'),
      'invitation.id as id',
      sql<Role>`invitation.level`.as('role'),
      sql<string>`invitation.organization_id`.as('organizationId'),
      'invitation.invited_by as invitedBy',
      'invitation.created_at as createdAt',
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
