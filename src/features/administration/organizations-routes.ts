import { ServiceError } from '../../base/errors.ts';
import { managedPath } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { forAdministrators } from '../../surfaces/web/for-administrators.ts';
import { faultsOf, isCorrectable, pageNumberOf, readForm } from '../../surfaces/web/form.ts';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { appointPage, managedOrganizationPage, organizationsPage } from './organizations-page.tsx';
import {
  appointOrganizationAdmin,
  describeOrganization,
  listOrganizations,
} from './organizations-service.ts';
import { ORGANIZATION_FILTERS } from './organizations-store.ts';

const PATH = '/admin/organizations';

interface OrganizationRoute {
  Params: { org: string };
}

interface ListRoute {
  Querystring: { q?: unknown; filter?: unknown; page?: unknown };
}

/** Adds `/admin/organizations`: all organizations, and how one without an admin gets one. */
export function addManagedOrganizationRoutes(parts: AppParts): void {
  const { context, goOn, show } = parts;
  const { get, post: postUnproven } = forAdministrators(parts);
  // A stolen session must not make somebody an admin who reads what is in an organization.
  const post: typeof postUnproven = (path, handle) => postUnproven(path, parts.proven(handle));

  get<ListRoute>(PATH, async (asked) => {
    const { query } = asked.request;
    const search = typeof query.q === 'string' ? query.q : '';
    const filter = ORGANIZATION_FILTERS.find((one) => one === query.filter) ?? 'all';
    const page = pageNumberOf(query.page);
    const part = { number: page, size: LIST_SIZE };
    const found = await listOrganizations(context, asked.call.actor, { filter, search }, part);
    const organizations = { ...found, page };
    return show(asked, organizationsPage({ organizations, filter, search }));
  });

  get<OrganizationRoute>(`${PATH}/:org`, async (asked) => {
    const { org } = asked.request.params;
    const organization = await describeOrganization(context, asked.call.actor, org);
    return show(asked, managedOrganizationPage({ organization }));
  });

  get<OrganizationRoute>(`${PATH}/:org/appoint`, async (asked) => {
    const { org } = asked.request.params;
    const { namespace, name } = await describeOrganization(context, asked.call.actor, org);
    return show(asked, appointPage({ namespace, name, username: '', faults: {} }));
  });

  post<OrganizationRoute>(`${PATH}/:org/appoint`, async (asked) => {
    const { org } = asked.request.params;
    const { namespace, name } = await describeOrganization(context, asked.call.actor, org);
    const { username } = readForm(asked.request.body, ['username']);
    try {
      await appointOrganizationAdmin(context, asked.call.actor, namespace, username.trim());
    } catch (error) {
      const isUnknown = error instanceof ServiceError && error.code === 'NOT_FOUND';
      if (!isUnknown && !isCorrectable(error)) throw error;
      return show(asked, appointPage({ namespace, name, username, faults: faultsOf(error) }), 422);
    }
    const message = `${username.trim()} is an admin of ${name}.`;
    return goOn(asked, managedPath(namespace), { message });
  });
}
