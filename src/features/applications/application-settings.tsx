import type { JSX } from 'preact';
import type { Scope } from '../../core/identity/scope.ts';
import { SCOPE_DESCRIPTIONS } from '../../core/identity/scope-descriptions.ts';
import type { ClosedOwner } from '../../core/owner/program-rule.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';
import { NotReached } from '../policies/reach.tsx';

export interface ConnectedApplication {
  id: string;
  name: string;
  host: string;
  scopes: readonly Scope[];
  since: string;
  /** `null` if it was never used. */
  lastUsedAt: string | null;
  closedTo: readonly ClosedOwner[];
}

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
        <NotReached closed={closedTo} means="application" />
        <ul class="aside">
          {scopes.map((scope) => (
            <li>{SCOPE_DESCRIPTIONS[scope]}</li>
          ))}
        </ul>
      </div>
      <ButtonForm
        action="/settings/applications/disconnect"
        fields={{ application: id }}
        label="Disconnect"
        name={`Disconnect ${name}`}
      />
    </li>
  );
}
