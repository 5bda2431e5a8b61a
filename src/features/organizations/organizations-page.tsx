import type { JSX } from 'preact';
import { MAX_SHOWN_NAME_CHARACTERS } from '../../base/text/shown-name.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { leadingTo } from '../../surfaces/web/next-path.ts';
import { ROLE_LABELS } from '../../surfaces/web/pages/access-labels.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Day, profilePath } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import { ButtonForm, EmptyState, PageHead } from '../../surfaces/web/pages/parts.tsx';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';

/** An organization that the user belongs to. */
export interface ListedOrganization {
  namespace: string;
  name: string;
  role: Role;
  joinedAt: string;
}

export function organizationsPage(organizations: Listed<ListedOrganization>): AppPage {
  return {
    title: 'Organizations',
    place: 'organizations',
    children: (
      <div class="sheet narrow">
        <PageHead title="Organizations">
          <a class="primary small" href="/organizations/new">
            New organization
          </a>
        </PageHead>
        {organizations.total === 0 ? (
          <EmptyState title="No organizations yet">
            <p>
              An organization owns briefs and pages. Its members find them in one place, and can
              keep documents to themselves. Create one for your team, or give your username to an
              admin who can invite you.
            </p>
          </EmptyState>
        ) : (
          <ul class="items" data-rows>
            {organizations.items.map((organization) => (
              <OrganizationRow organization={organization} />
            ))}
          </ul>
        )}
        <Pager
          label="Pages of organizations"
          list={organizations}
          path={(page) => `/organizations?page=${page}`}
        />
      </div>
    ),
  };
}

function OrganizationRow({ organization }: { organization: ListedOrganization }): JSX.Element {
  const { namespace, name, role, joinedAt } = organization;
  return (
    <li class="item" data-row>
      <Icon name="building-2" />
      <div class="item-main">
        <a class="item-title" href={organizationPath(namespace)}>
          {name}
        </a>
        <p class="item-facts">
          <span>{namespace}</span>
          <span>
            Joined <Day at={joinedAt} />
          </span>
        </p>
      </div>
      <div class="item-end">
        <span class="role">{ROLE_LABELS[role]}</span>
      </div>
    </li>
  );
}

export function newOrganizationPage(form: {
  namespace: string;
  name: string;
  faults: Faults;
}): AppPage {
  const { namespace, name, faults } = form;
  return {
    title: 'New organization',
    place: 'organizations',
    children: (
      <div class="sheet narrow">
        <PageHead title="New organization" />
        <form class="form" method="post" action="/organizations/new">
          <FormFault fault={faults.form} />
          <Field
            name="name"
            label="Name"
            value={name}
            fault={faults.name}
            hint={`The display name, such as Engines Ltd. Up to ${MAX_SHOWN_NAME_CHARACTERS} characters.`}
            autocomplete="organization"
            maxLength={MAX_SHOWN_NAME_CHARACTERS}
            focused={faults.namespace === undefined}
          />
          <Field
            name="namespace"
            label="Namespace"
            value={namespace}
            fault={faults.namespace}
            hint="Used in its links, such as engines. Letters a to z, digits and single hyphens. You can’t change it later."
            autocomplete="off"
            maxLength={39}
            focused={faults.namespace !== undefined}
            proposedFrom="name"
          />
          <p class="aside">
            You’ll be its first admin. Members can create documents and read all that aren’t
            private. You can change this in its settings.
          </p>
          <div class="form-row">
            <button type="submit" class="primary">
              Create organization
            </button>
            <a class="quiet" href="/organizations">
              Cancel
            </a>
          </div>
        </form>
      </div>
    ),
  };
}

/** Tells a member that the organization requires a second factor. */
export function shutOutPage({ namespace, name }: { namespace: string; name: string }): AppPage {
  return {
    title: name,
    trail: <span class="here">{namespace}</span>,
    children: (
      <div class="sheet narrow">
        <PageHead title={name} />
        <p>
          {name} requires a second factor. As soon as your account has one, you have access to its
          documents again, as before.
        </p>
        <p>
          <a
            class="primary"
            href={leadingTo(settingsPath('security'), organizationPath(namespace))}
          >
            Set up a second factor
          </a>
        </p>
        <ButtonForm
          action={`${organizationPath(namespace, 'members')}/leave`}
          label="Leave the organization"
          class="quiet"
        />
      </div>
    ),
  };
}

/** Shows an organization to a user who is neither a member nor invited. */
export function strangerPage({ namespace, name }: { namespace: string; name: string }): AppPage {
  return {
    title: name,
    trail: <span class="here">{namespace}</span>,
    children: (
      <div class="sheet narrow">
        <PageHead title={name} />
        <p>
          You’re not a member of {name}. Its public documents are on{' '}
          <a href={profilePath(namespace)}>its profile</a>.
        </p>
        <p class="aside">To join, ask one of its admins to invite you by username.</p>
      </div>
    ),
  };
}
