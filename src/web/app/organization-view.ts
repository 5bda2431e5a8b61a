import { ServiceError } from '../../errors.ts';
import { isExpired } from '../../invitation/invitation.ts';
import { getOwnOrganizationInvitation } from '../../organization/membership-service.ts';
import { getOrganization } from '../../organization/organization-service.ts';
import { invitedPage } from '../pages/app/invitations-page.tsx';
import type { OwnOrganization } from '../pages/app/organization-frame.tsx';
import { strangerPage } from '../pages/app/organizations-page.tsx';
import type { AppParts, AppRequest } from './app-parts.ts';

/** The parameters of an organization's addresses. */
export interface OrganizationRoute {
  Params: { org: string };
  Querystring: { page?: unknown; before?: unknown };
}

export type AskedOfOrganization = AppRequest<OrganizationRoute>;

/**
 * Shows a page of an organization to its members. Others see their invitation, or that they are not
 * members.
 *
 * @param show sends the page for members
 * @throws NOT_FOUND when there is no such organization
 */
export async function showToMembers(
  parts: AppParts,
  asked: AskedOfOrganization,
  show: (organization: OwnOrganization) => ReturnType<AppParts['show']>,
): ReturnType<AppParts['show']> {
  const { context } = parts;
  const { namespace, name, role, ...settings } = await getOrganization(
    context,
    asked.actor,
    asked.request.params.org,
  );
  if (role !== null) return show({ namespace, name, role, ...settings });
  const invitation = await getOwnOrganizationInvitation(context, asked.actor, namespace).catch(
    noneFound,
  );
  const page = invitation
    ? invitedPage({ ...invitation, isExpired: isExpired(invitation, context.now()) })
    : strangerPage({ namespace, name });
  return parts.show(asked, page);
}

function noneFound(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
}
