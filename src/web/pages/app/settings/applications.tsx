import type { JSX } from 'preact';
import { SCOPES, type Scope } from '../../../../account/scope.ts';
import { Day } from '../../format.tsx';
import type { AppPage } from '../app-page.tsx';
import { ButtonForm } from '../parts.tsx';
import { settingsPage } from './settings-page.tsx';

/** A program that somebody has let act for them. */
export interface ConnectedApplication {
  id: string;
  name: string;
  /** Where it takes people back to. */
  host: string;
  scopes: readonly Scope[];
  /** ISO 8601. */
  since: string;
  /** `null` when it never did anything. */
  lastUsedAt: string | null;
}

/** The programs that act for the person, each with a way to end it. */
export function applicationsPage(applications: readonly ConnectedApplication[]): AppPage {
  return settingsPage(
    'applications',
    <section aria-labelledby="applications">
      <h2 id="applications">Connected applications</h2>
      <p class="aside">
        Programs that you have let act for you when they sent you here to decide. What you
        disconnect stops at once.
      </p>
      {applications.length === 0 ? (
        <p>No application acts for you.</p>
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
  const { id, name, host, scopes, since, lastUsedAt } = application;
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p class="aside">
          {host}&nbsp;· Since <Day at={since} />
          {lastUsedAt !== null && (
            <>
              &nbsp;· Last used <Day at={lastUsedAt} />
            </>
          )}
        </p>
        <ul class="aside">
          {scopes.map((scope) => (
            <li>{SCOPES[scope]}</li>
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
