import { getOrganization } from '../../core/owner/organization-service.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { invitationTo } from '../invitations/answer-service.ts';
import { invitedPage } from '../invitations/invitations-page.tsx';
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
  const invitation = await invitationTo(asked.actor, namespace).find(context.sql.read);
  const page = invitation
    ? invitedPage(invitation, context.now())
    : strangerPage({ namespace, name });
  return parts.show(asked, page);
}
