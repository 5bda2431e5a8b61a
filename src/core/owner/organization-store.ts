import { lookup, type Parameter } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { DefaultBriefPermission } from './organization-access.ts';

/** An organization with the actor's role in it. */
export type OrganizationRow = Omit<Found, 'membersCanCreate' | 'secondFactorRequired'> & {
  membersCanCreate: boolean;
  /** Whether memberships of users without a second factor don't count. */
  secondFactorRequired: boolean;
};

type Found = RowOf<typeof organizationRow>;

const organizationRow = lookup((db, parameter: Parameter<{ namespace: string; actorId: string }>) =>
  db
    .selectFrom('organization')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .leftJoin('owner as creator', 'creator.id', 'organization.createdBy')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organizationId', '=', 'organization.id')
        .on('membership.accountId', '=', parameter('actorId')),
    )
    .leftJoin('stored_membership as held', (join) =>
      join
        .onRef('held.organizationId', '=', 'organization.id')
        .on('held.accountId', '=', parameter('actorId')),
    )
    .where('owner.namespace', '=', parameter('namespace'))
    .select([
      'organization.id',
      'owner.namespace',
      'organization.name',
      'organization.membersCanCreate',
      'organization.defaultBriefPermission',
      'organization.createdBy',
      // `null` if the account was deleted.
      'creator.namespace as createdByUsername',
      'organization.createdAt',
      'organization.updatedAt',
      'organization.secondFactorRequired',
      // `null` for no membership that counts (see `membershipCounts`).
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
    .set({ secondFactorRequired: isRequired ? 1 : 0, updatedAt: now })
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
      ...organization,
      type: 'organization',
      membersCanCreate: 1,
      defaultBriefPermission: 'read',
      updatedAt: organization.createdAt,
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
      updatedAt: now,
      ...(settings.membersCanCreate !== undefined && {
        membersCanCreate: settings.membersCanCreate ? (1 as const) : (0 as const),
      }),
      ...(settings.defaultBriefPermission !== undefined && {
        defaultBriefPermission: settings.defaultBriefPermission,
      }),
    })
    .where('id', '=', id)
    .execute();
}

/** Deletes an organization and, by cascade, everything it owns. */
export async function deleteOrganizationOwner(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('owner').where('id', '=', id).where('type', '=', 'organization').execute();
}
