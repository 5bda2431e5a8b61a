import type { JSX } from 'preact';
import type { Scope } from '../../core/identity/scope.ts';
import { SCOPE_DESCRIPTIONS } from '../../core/identity/scope-descriptions.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Checkboxes, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm, FormActions } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage, settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { NotReached, Reaches } from '../policies/reach.tsx';
import type { ConnectedApplication } from './application-service.ts';

export function applicationsPage(applications: readonly ConnectedApplication[]): AppPage {
  return settingsPage(
    'applications',
    <section aria-labelledby="applications">
      <h2 id="applications">Connected apps</h2>
      <p class="aside">
        Apps you’ve allowed to use your account. A disconnected app loses access immediately.
      </p>
      {applications.length === 0 ? (
        <p>No connected apps.</p>
      ) : (
        <ul class="rows">
          {applications.map((application) => (
            <ApplicationRow application={application} />
          ))}
        </ul>
      )}
    </section>,
  );
}

/** Asks which permissions of an app stay. More can only be given when it connects. */
export function narrowPage(page: {
  application: Pick<ConnectedApplication, 'id' | 'name' | 'scopes'>;
  /** Which are checked. */
  kept: readonly Scope[];
  faults: Faults;
}): AppPage {
  const { application, kept, faults } = page;
  const { id, name, scopes } = application;
  return dialogScreen({
    title: `What can ${name} do?`,
    place: 'settings',
    children: (
      <>
        <p>
          Uncheck what it no longer needs. It loses that immediately, and can ask for it again when
          you connect it anew.
        </p>
        <FormFault fault={faults.form} />
        <form class="form" method="post" action={permissionsPath(id)}>
          <Checkboxes
            name="scopes"
            legend="Permissions"
            options={scopes.map((scope) => [scope, SCOPE_DESCRIPTIONS[scope]] as const)}
            checked={kept}
            fault={faults.scopes}
          />
          <FormActions label="Save" back={settingsPath('applications')} />
        </form>
      </>
    ),
  });
}

function permissionsPath(id: string): string {
  return `${settingsPath('applications')}/${id}/permissions`;
}

function ApplicationRow({ application }: { application: ConnectedApplication }): JSX.Element {
  const { id, name, host, scopes, since, lastUsedAt, closedTo } = application;
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p class="aside">
          {host}&nbsp;· Connected <Day at={since} />
          {lastUsedAt !== null && (
            <>
              &nbsp;· Last used <Day at={lastUsedAt} />
            </>
          )}
        </p>
        <Reaches reaches={application.reaches} />
        <NotReached closed={closedTo} means="application" />
        <ul class="aside">
          {scopes.map((scope) => (
            <li>{SCOPE_DESCRIPTIONS[scope]}</li>
          ))}
        </ul>
      </div>
      {scopes.length > 1 && (
        <a
          class="secondary"
          href={permissionsPath(id)}
          aria-label={`Change permissions of ${name}`}
          data-dialog
        >
          Permissions
        </a>
      )}
      <ButtonForm
        action="/settings/applications/disconnect"
        fields={{ application: id }}
        label="Disconnect"
        name={`Disconnect ${name}`}
      />
    </li>
  );
}
