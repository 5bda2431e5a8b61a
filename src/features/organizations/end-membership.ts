import { ServiceError } from '../../base/errors.ts';
import { deleteCollaborationsWith } from '../../core/document/collaborator-store.ts';
import { insertPendingOfCollaborator } from '../../core/outbox/search-pending-store.ts';
import { deleteMembership, hasOtherAdmin } from '../../core/owner/membership-store.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { endAppointments } from '../../core/review/review-store.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { deleteInvitationsWith } from '../invitations/invitation-store.ts';
import { endOffers } from '../invitations/offer-service.ts';

/**
 * Deletes a membership with the person's collaborations and pending invitations there, and with
 * what they invited others to. As a reviewer, they no longer count.
 */
export async function endMembership(
  tx: Writer,
  organizationId: string,
  accountId: string,
): Promise<void> {
  // Must come before the next statement, which deletes the collaborations that this one looks up.
  await insertPendingOfCollaborator(tx, organizationId, accountId);
  await deleteCollaborationsWith(tx, organizationId, accountId);
  await deleteInvitationsWith(tx, organizationId, accountId);
  await deleteMembership(tx, organizationId, accountId);
  await endOffers(tx, { makerId: accountId, organizationId });
  await endAppointments(tx, accountId, { organizationId });
}

/**
 * Requires another admin if the member is an admin, because an organization always has one.
 *
 * @throws UNPROCESSABLE
 */
export async function requireAnotherAdmin(
  tx: Writer,
  organizationId: string,
  member: { id: string; role: Role | undefined },
): Promise<void> {
  if (member.role === 'admin' && !(await hasOtherAdmin(tx, organizationId, member.id))) {
    throw new ServiceError(
      'UNPROCESSABLE',
      'This member is the organization’s only admin. Add another admin first.',
    );
  }
}
