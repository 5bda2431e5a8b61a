import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { ExpirySpan } from '../../core/owner/invitation-state.ts';
import { expiresWithin } from '../../core/owner/invitation-store.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A pending invitation to an organization. */
export interface OrganizationInvitationRow {
  id: string;
  organizationId: string;
  organizationName: string;
  organizationNamespace: string;
  targetId: string;
  targetUsername: string;
  role: Role;
  invitedBy: string | null;
  /** `null` if the account is gone. */
  invitedByUsername: string | null;
  createdAt: string;
  expiresAt: string;
}

/** Lists an organization's pending invitations, newest first, including expired ones. */
export async function listInvitationsOfOrganization(
  db: Reader,
  organizationId: string,
  page: PageRequest,
): Promise<Page<OrganizationInvitationRow>> {
  const rows = invitations(db).where('invitation.organization_id', '=', organizationId);
  return paginate(rows, 'invitation.id', page);
}

/** Lists a user's pending invitations that expire within `expiry`, newest first. */
export async function listOrganizationInvitationsOfTarget(
  db: Reader,
  targetId: string,
  expiry: ExpirySpan,
  page: PageRequest,
): Promise<Page<OrganizationInvitationRow>> {
  const rows = invitations(db)
    .where('invitation.target_id', '=', targetId)
    .where(expiresWithin(sql.ref('invitation.expires_at'), expiry));
  return paginate(rows, 'invitation.id', page);
}

/** Finds a user's pending invitation to an organization. */
export async function findOrganizationInvitationOf(
  db: Reader,
  organizationId: string,
  targetId: string,
): Promise<OrganizationInvitationRow | undefined> {
  return invitations(db)
    .where('invitation.organization_id', '=', organizationId)
    .where('invitation.target_id', '=', targetId)
    .executeTakeFirst();
}

export async function findOrganizationInvitation(
  db: Reader,
  id: string,
): Promise<OrganizationInvitationRow | undefined> {
  return invitations(db).where('invitation.id', '=', id).executeTakeFirst();
}

export async function insertOrganizationInvitation(
  db: Writer,
  invitation: {
    id: string;
    organizationId: string;
    targetId: string;
    role: Role;
    invitedBy: string;
    createdAt: string;
    expiresAt: string;
  },
): Promise<void> {
  await db
    .insertInto('organization_invitation')
    .values({
      id: invitation.id,
      organization_id: invitation.organizationId,
      target_id: invitation.targetId,
      role: invitation.role,
      invited_by: invitation.invitedBy,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute();
}

/** Deletes an invitation; `false` if the organization has none with this id. */
export async function deleteOrganizationInvitation(
  db: Writer,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('organization_invitation')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

function invitations(db: Reader) {
  return db
    .selectFrom('organization_invitation as invitation')
    .innerJoin('organization', 'organization.id', 'invitation.organization_id')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .innerJoin('owner as target', 'target.id', 'invitation.target_id')
    .leftJoin('owner as inviter', 'inviter.id', 'invitation.invited_by')
    .select([
      'invitation.id',
      'organization.id as organizationId',
      'organization.name as organizationName',
      'owner.namespace as organizationNamespace',
      'invitation.target_id as targetId',
      'target.namespace as targetUsername',
      'invitation.role',
      'invitation.invited_by as invitedBy',
      'inviter.namespace as invitedByUsername',
      'invitation.created_at as createdAt',
      'invitation.expires_at as expiresAt',
    ]);
}
