import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { INVITER_ENABLED } from '../../core/identity/account-store.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
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
export type RelationRow = RowOf<typeof relations>;

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
    .where('membership.accountId', '=', accountId)
    .select([
      sql<'active' | 'pending'>`'active'`.as('state'),
      'membership.id as id',
      'membership.role as role',
      'membership.organizationId',
      sql<string | null>`null`.as('invitedBy'),
      'membership.joinedAt as createdAt',
    ]);
  const pending = db
    .selectFrom('invitation')
    .where('invitation.recipientId', '=', accountId)
    .where('invitation.organizationId', 'is not', null)
    .where('invitation.expiresAt', '>', now)
    .where(INVITER_ENABLED)
    .select([
      sql<'active' | 'pending'>`'pending'`.as('state'),
      'invitation.id as id',
      sql<Role>`invitation.level`.as('role'),
      sql<string>`invitation."organizationId"`.as('organizationId'),
      'invitation.invitedBy',
      'invitation.createdAt',
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
      // `null` if the account was deleted.
      'inviter.namespace as invitedByUsername',
      'relation.createdAt',
    ]);
  if (state) rows = rows.where('relation.state', '=', state);
  if (organizationId) rows = rows.where('relation.organizationId', '=', organizationId);
  return rows;
}
