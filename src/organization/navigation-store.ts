import { sql } from 'kysely';
import { notExpiredAt } from '../invitation/invitation.ts';
import { expiresWithin } from '../invitation/invitation-store.ts';
import { lookup, prepared } from '../storage/sql/prepared.ts';
import type { Reader } from '../storage/sql/sql.ts';
import type { Role } from './roles.ts';

/** An organization that a user belongs to. */
export interface NamedOrganizationRow {
  namespace: string;
  name: string;
  role: Role;
}

const organizationsByName = lookup<{ accountId: string; limit: number }, NamedOrganizationRow>(
  (db, parameter) =>
    db
      .selectFrom('membership')
      .innerJoin('organization', 'organization.id', 'membership.organization_id')
      .innerJoin('owner', 'owner.id', 'organization.id')
      .where('membership.account_id', '=', parameter('accountId'))
      .select(['owner.namespace', 'organization.name', 'membership.role'])
      .orderBy((organization) => organization.fn('lower', ['organization.name']))
      .orderBy('owner.namespace')
      .limit(parameter('limit')),
);

/** Lists the first organizations a user belongs to, by name. */
export async function listOrganizationsByName(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<readonly NamedOrganizationRow[]> {
  return organizationsByName(db, { accountId, limit });
}

/** Lists the organizations where a user can create documents, by name, up to a limit. */
export async function listOrganizationsToCreateIn(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<{ namespace: string; name: string }[]> {
  return db
    .selectFrom('membership')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .where('membership.account_id', '=', accountId)
    .where((row) =>
      row.or([
        row('membership.role', '=', 'admin'),
        row('organization.members_can_create', '=', 1),
      ]),
    )
    .select(['owner.namespace', 'organization.name'])
    .orderBy((organization) => organization.fn('lower', ['organization.name']))
    .orderBy('owner.namespace')
    .limit(limit)
    .execute();
}

const pendingInvitations = prepared<{ accountId: string; now: string }, { invitations: number }>(
  (db, parameter) => {
    const open = (table: 'document_invitation' | 'organization_invitation') =>
      db
        .selectFrom(table)
        .where('target_id', '=', parameter('accountId'))
        .where(expiresWithin(sql.ref('expires_at'), notExpiredAt(parameter('now'))))
        .select(sql.lit(1).as('one'));
    const all = open('document_invitation').unionAll(open('organization_invitation'));
    return db
      .selectFrom(all.as('invitation'))
      .select((invitation) => invitation.fn.countAll<number>().as('invitations'));
  },
);

/** Counts the invitations, to documents and organizations, that a user can accept at `now`. */
export async function countInvitationsOf(
  db: Reader,
  accountId: string,
  now: string,
): Promise<number> {
  const [counted] = await pendingInvitations(db, { accountId, now });
  return counted?.invitations ?? 0;
}
