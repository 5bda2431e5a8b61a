import { getOrganization } from '../../core/owner/organization-service.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { invitationTo } from '../invitations/answer-service.ts';
import { invitedPage } from '../invitations/invitations-page.tsx';
import type { OwnOrganization } from './organization-frame.tsx';
import { shutOutPage, strangerPage } from './organizations-page.tsx';

/** The parameters of an organization's addresses. */
export interface OrganizationRoute {
  Params: { org: string };
  Querystring: { page?: unknown; before?: unknown };
}

export type AskedOfOrganization = AppRequest<OrganizationRoute>;

/**
 * Shows a page of an organization to its members. Others see their invitation, that they are not
 * members, or that they lack the second factor that it requires.
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
  const { org } = asked.request.params;
  const { namespace, name, role, heldRole, ...settings } = await getOrganization(asked.call, org, {
    evenShutOut: true,
  });
  if (role !== null) return show({ namespace, name, role, ...settings });
  if (heldRole !== null) return parts.show(asked, shutOutPage({ namespace, name }), 403);
  const invitation = await invitationTo(asked.call.actor, namespace).find(context.sql.read);
  const page = invitation
    ? invitedPage(invitation, context.now())
    : strangerPage({ namespace, name });
  return parts.show(asked, page);
}
