import { formatSize } from '../../base/text/size.ts';
import { managedPath, personPath } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Day, profilePath } from '../../surfaces/web/pages/format.tsx';
import type { Listed } from '../../surfaces/web/pages/pager.tsx';
import { EmptyState, FormActions } from '../../surfaces/web/pages/parts.tsx';
import { totalBytes } from './administration-schema.ts';
import type { ListedOrganization, OrganizationDetails } from './organizations-service.ts';
import type { OrganizationFilter } from './organizations-store.ts';
import {
  FactsTable,
  LargestDocuments,
  ListPager,
  OwnerLinks,
  SearchLine,
  UsageFacts,
} from './parts.tsx';

const PATH = '/admin/organizations';

/** Lists organizations. */
export function organizationsPage(page: {
  organizations: Listed<ListedOrganization>;
  filter: OrganizationFilter;
  search: string;
}): AppPage {
  const { organizations, filter, search } = page;
  const isFiltered = search !== '' || filter !== 'all';
  return administrationPage('organizations', {
    children: (
      <>
        <SearchLine path={PATH} value={search} label="Start of an organization’s address">
          <select name="filter" aria-label="Which organizations">
            <option value="all">All</option>
            <option value="adminless" selected={filter === 'adminless'}>
              No working admin
            </option>
          </select>
        </SearchLine>
        {organizations.items.length === 0 ? (
          <EmptyState title={isFiltered ? 'No organization fits' : 'No organizations'}>
            {!isFiltered ? (
              <p>Everybody can create some under “Organizations”.</p>
            ) : (
              <p>
                <a href={PATH}>Show all</a>
              </p>
            )}
          </EmptyState>
        ) : (
          <FactsTable
            label="Organizations"
            columns={[
              { label: 'Organization' },
              { label: 'Created' },
              { label: 'Members', isNumber: true },
              { label: 'Admins', isNumber: true },
              { label: 'Documents', isNumber: true },
              { label: 'Stored', isNumber: true },
            ]}
            rows={organizations.items.map((one) => [
              <>
                <a class="main" href={managedPath(one.namespace)}>
                  {one.name}
                </a>{' '}
                <span class="aside">{one.namespace}</span>{' '}
                {one.activeAdmins === 0 && <span class="badge warning">No working admin</span>}
              </>,
              <Day at={one.createdAt} />,
              one.members,
              one.admins,
              one.usage.documents,
              formatSize(totalBytes(one.usage)),
            ])}
          />
        )}
        <ListPager
          list={organizations}
          path={PATH}
          query={{ q: search, filter: filter === 'all' ? '' : filter }}
        />
      </>
    ),
  });
}

/** Shows an organization, with a way to appoint an admin if it has none. */
export function managedOrganizationPage({
  organization,
}: {
  organization: OrganizationDetails;
}): AppPage {
  const { namespace, name, createdAt, members, people, activeAdmins } = organization;
  const owner = { type: 'organization', namespace } as const;
  return administrationPage('organizations', {
    title: name,
    about: name,
    actions: (
      <>
        <OwnerLinks owner={owner} />
        {activeAdmins === 0 && (
          <a class="primary" href={managedPath(namespace, 'appoint')} data-dialog>
            Appoint an admin
          </a>
        )}
      </>
    ),
    children: (
      <>
        {activeAdmins === 0 && (
          <p class="form-fault">
            No admin of this organization has a working account. Nobody can manage its members and
            settings until you appoint one.
          </p>
        )}
        <section aria-labelledby="organization">
          <h2 id="organization">Organization</h2>
          <dl class="identity">
            <dt>Profile</dt>
            <dd>
              <a href={profilePath(namespace)}>{namespace}</a>
            </dd>
            <dt>Created</dt>
            <dd>
              <Day at={createdAt} />
            </dd>
          </dl>
        </section>
        <section aria-labelledby="usage">
          <h2 id="usage">Stored</h2>
          <UsageFacts usage={organization.usage} />
        </section>
        <section aria-labelledby="members">
          <h2 id="members">Members</h2>
          <FactsTable
            label="Members"
            columns={[{ label: 'Username' }, { label: 'Role' }, { label: 'Joined' }]}
            rows={people.map(({ username, role, joinedAt, disabledAt }) => [
              <>
                <a class="main" href={personPath(username)}>
                  {username}
                </a>{' '}
                {disabledAt !== null && <span class="badge warning">Disabled</span>}
              </>,
              role === 'admin' ? 'Admin' : 'Member',
              <Day at={joinedAt} />,
            ])}
          />
          {members > people.length && (
            <p class="aside">
              {people.length} of {members} members, admins first.
            </p>
          )}
        </section>
        <LargestDocuments owner={owner} documents={organization.largest} />
      </>
    ),
  });
}

/** Asks who becomes the admin of an organization without one. */
export function appointPage(page: {
  namespace: string;
  name: string;
  username: string;
  faults: Faults;
}): AppPage {
  const { namespace, name, username, faults } = page;
  return dialogScreen({
    title: `Appoint an admin of ${name}`,
    place: 'administration',
    children: (
      <>
        <p>
          An admin of an organization can read its documents, and manages members and settings. The
          person needn’t be a member yet, and is told by mail.
        </p>
        <form class="form" method="post" action={managedPath(namespace, 'appoint')}>
          <FormFault fault={faults.form ?? faults.org} />
          <Field
            name="username"
            label="Username"
            value={username}
            fault={faults.username}
            autocomplete="off"
            focused
          />
          <FormActions label="Appoint" back={managedPath(namespace)} />
        </form>
      </>
    ),
  });
}
