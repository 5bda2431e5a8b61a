import { lookup } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { DefaultBriefPermission, Role } from './organization-access.ts';

/** An organization with the actor's role in it. */
export interface OrganizationRow {
  id: string;
  namespace: string;
  name: string;
  membersCanCreate: boolean;
  defaultBriefPermission: DefaultBriefPermission;
  createdBy: string | null;
  /** `null` if the account was deleted. */
  createdByUsername: string | null;
  createdAt: string;
  updatedAt: string;
  /** Whether memberships of users without a second factor don't count. */
  secondFactorRequired: boolean;
  /** The actor's role; `null` for no membership that counts (see `membershipCounts`). */
  role: Role | null;
  /** The actor's role even if the membership doesn't count. */
  heldRole: Role | null;
}

const organizationRow = lookup<
  { namespace: string; actorId: string },
  Omit<OrganizationRow, 'membersCanCreate' | 'secondFactorRequired'> & {
    membersCanCreate: 0 | 1;
    secondFactorRequired: 0 | 1;
  }
>((db, parameter) =>
  db
    .selectFrom('organization')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .leftJoin('owner as creator', 'creator.id', 'organization.created_by')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organization_id', '=', 'organization.id')
        .on('membership.account_id', '=', parameter('actorId')),
    )
    .leftJoin('stored_membership as held', (join) =>
      join
        .onRef('held.organization_id', '=', 'organization.id')
        .on('held.account_id', '=', parameter('actorId')),
    )
    .where('owner.namespace', '=', parameter('namespace'))
    .select([
      'organization.id',
      'owner.namespace',
      'organization.name',
      'organization.members_can_create as membersCanCreate',
      'organization.default_brief_permission as defaultBriefPermission',
      'organization.created_by as createdBy',
      'creator.namespace as createdByUsername',
      'organization.created_at as createdAt',
      'organization.updated_at as updatedAt',
      'organization.second_factor_required as secondFactorRequired',
      'membership.role',
      'held.role as heldRole',
    ]),
);

/** Finds the organization with this namespace (normalised). Ignores users. */
export async function findOrganization(
  db: Reader,
  namespace: string,
  actorId: string,
): Promise<OrganizationRow | undefined> {
  const [row] = await organizationRow(db, { namespace, actorId });
  return (
    row && {
      ...row,
      membersCanCreate: row.membersCanCreate === 1,
      secondFactorRequired: row.secondFactorRequired === 1,
    }
  );
}

/** Tells whether a user is a member of an owner, and that membership doesn't count. */
export async function isShutOut(db: Reader, namespace: string, actorId: string): Promise<boolean> {
  const organization = await findOrganization(db, namespace, actorId);
  return organization !== undefined && organization.role === null && organization.heldRole !== null;
}

/** Sets whether memberships of users without a second factor count. */
export async function updateSecondFactorRequired(
  db: Writer,
  id: string,
  isRequired: boolean,
  now: string,
): Promise<void> {
  await db
    .updateTable('organization')
    .set({ second_factor_required: isRequired ? 1 : 0, updated_at: now })
    .where('id', '=', id)
    .execute();
}

export async function insertOrganization(
  db: Writer,
  organization: { id: string; name: string; createdBy: string; createdAt: string },
): Promise<void> {
  await db
    .insertInto('organization')
    .values({
      id: organization.id,
      type: 'organization',
      name: organization.name,
      members_can_create: 1,
      default_brief_permission: 'read',
      created_by: organization.createdBy,
      created_at: organization.createdAt,
      updated_at: organization.createdAt,
    })
    .execute();
}

export interface OrganizationSettings {
  membersCanCreate?: boolean;
  defaultBriefPermission?: DefaultBriefPermission;
}

export async function updateOrganization(
  db: Writer,
  id: string,
  settings: OrganizationSettings,
  now: string,
): Promise<void> {
  await db
    .updateTable('organization')
    .set({
      updated_at: now,
      ...(settings.membersCanCreate !== undefined && {
        members_can_create: settings.membersCanCreate ? (1 as const) : (0 as const),
      }),
      ...(settings.defaultBriefPermission !== undefined && {
        default_brief_permission: settings.defaultBriefPermission,
      }),
    })
    .where('id', '=', id)
    .execute();
}

/** Deletes an organization and, by cascade, everything it owns. */
export async function deleteOrganizationOwner(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('owner').where('id', '=', id).where('type', '=', 'organization').execute();
}
