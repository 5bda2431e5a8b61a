import type { JSX } from 'preact';
import { SCOPES, type Scope } from '../../account/scope.ts';
import { Day } from './words.tsx';

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
export function ApplicationsSection(props: {
  applications: readonly ConnectedApplication[];
}): JSX.Element {
  return (
    <section aria-labelledby="applications">
      <h2 id="applications">Connected applications</h2>
      {props.applications.length === 0 ? (
        <p class="aside">No application acts for you.</p>
      ) : (
        <ul class="rows">
          {props.applications.map((application) => (
            <ApplicationRow application={application} />
          ))}
        </ul>
      )}
    </section>
  );
}

function ApplicationRow({ application }: { application: ConnectedApplication }): JSX.Element {
  const { id, name, host, scopes, since, lastUsedAt } = application;
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p class="aside">
          {host} · Since <Day at={since} />
          {lastUsedAt !== null && (
            <>
              {' '}
              · Last used <Day at={lastUsedAt} />
            </>
          )}
        </p>
        <ul class="aside">
          {scopes.map((scope) => (
            <li>{SCOPES[scope]}</li>
          ))}
        </ul>
      </div>
      <form method="post" action="/settings/applications/disconnect">
        <input type="hidden" name="application" value={id} />
        <button type="submit" class="secondary" aria-label={`Disconnect ${name}`}>
          Disconnect
        </button>
      </form>
    </li>
  );
}
