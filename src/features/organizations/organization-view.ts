import { ServiceError } from '../../base/errors.ts';
import { isExpired } from '../../core/owner/invitation-state.ts';
import { getOrganization } from '../../core/owner/organization-service.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { invitedPage } from '../invited/invitations-page.tsx';
import { getOwnOrganizationInvitation } from './membership-service.ts';
import type { OwnOrganization } from './organization-frame.tsx';
import { strangerPage } from './organizations-page.tsx';

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
