import { countAttempt } from '../../core/identity/attempts.ts';
import { createOrganization, listOwnOrganizations } from '../../core/owner/organization-service.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { faultsOf, isCorrectable, pageNumberOf, readForm } from '../../surfaces/web/form.ts';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { findListedStates } from '../discussion/listed-states-service.ts';
import { listLibrary } from '../library/library-service.ts';
import { readListFilter, readText } from '../library/list-query.ts';
import { listOrganizationTakedowns } from '../moderation/takedown-service.ts';
import { addMemberRoutes } from './member-routes.ts';
import { organizationDocumentsPage } from './organization-documents-page.tsx';
import { addOrganizationSettingsRoutes } from './organization-settings-routes.ts';
import { type OrganizationRoute, showToMembers } from './organization-view.ts';
import { newOrganizationPage, organizationsPage } from './organizations-page.tsx';

const DOCUMENTS_SIZE = 50;

/** Adds `/organizations`: the user's organizations, a form for a new one, and each one's tabs. */
export function addOrganizationRoutes(parts: AppParts): void {
  const { context, limiter, get, post, goOn, show } = parts;

  get<{ Querystring: { page?: unknown } }>('/organizations', async (asked) => {
    const page = pageNumberOf(asked.request.query.page);
    const request = { number: page, size: LIST_SIZE };
    const organizations = await listOwnOrganizations(asked.call, request);
    return show(asked, organizationsPage({ ...organizations, page }));
  });

  get('/organizations/new', async (asked) =>
    show(asked, newOrganizationPage({ namespace: '', name: '', faults: {} })),
  );

  post('/organizations/new', async (asked) => {
    const form = readForm(asked.request.body, ['namespace', 'name']);
    try {
      const { call } = asked;
      const namespace = form.namespace.trim();
      const made = await createOrganization(call, { ...form, namespace });
      const message = `${made.name} created. Invite people under Members.`;
      return goOn(asked, organizationPath(made.namespace), { message });
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return show(asked, newOrganizationPage({ ...form, faults: faultsOf(error) }), 422);
    }
  });

  get<OrganizationRoute>('/organizations/:org', async (asked) =>
    showToMembers(parts, asked, async (organization) => {
      const { query } = asked.request;
      const filter = readListFilter(query);
      const { q, owner: _, ...rest } = filter;
      const before = readText(query.before);
      if (q) await countAttempt(limiter, [['webSearch', asked.call.actor.id]]);
      const library = await listLibrary(asked.call, {
        ...rest,
        filter: q,
        before,
        size: DOCUMENTS_SIZE,
        pinnedFirst: true,
        place: { organization: organization.namespace },
      });
      const isFirst = before === undefined;
      const states = await findListedStates(context, [...library.pinned, ...library.items]);
      const all = { number: 1, size: DOCUMENTS_SIZE };
      const { namespace } = organization;
      const takenDown =
        isFirst && organization.role === 'admin'
          ? (await listOrganizationTakedowns(asked.call, namespace, all)).items
          : [];
      const page = { organization, filter: { ...rest, q }, library, states, isFirst, takenDown };
      return show(asked, organizationDocumentsPage({ ...page, now: context.now() }));
    }),
  );

  addMemberRoutes(parts);
  addOrganizationSettingsRoutes(parts);
}
