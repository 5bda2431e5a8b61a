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
  role: Role | null;
}

const organizationRow = lookup<
  { namespace: string; actorId: string },
  Omit<OrganizationRow, 'membersCanCreate'> & { membersCanCreate: 0 | 1 }
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
      'membership.role',
    ]),
);

/** Finds the organization with this namespace (normalised). Ignores users. */
export async function findOrganization(
  db: Reader,
  namespace: string,
  actorId: string,
): Promise<OrganizationRow | undefined> {
  const [row] = await organizationRow(db, { namespace, actorId });
  return row && { ...row, membersCanCreate: row.membersCanCreate === 1 };
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
