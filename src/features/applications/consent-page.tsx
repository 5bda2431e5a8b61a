import type { JSX } from 'preact';
import type { Scope } from '../../core/identity/scope.ts';
import { SCOPE_DESCRIPTIONS } from '../../core/identity/scope-descriptions.ts';
import type { Demand } from '../../core/owner/program-service.ts';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Demands } from '../policies/reach.tsx';
import type { AuthorizationRequest } from './consent-service.ts';
import { isLoopbackRedirect, redirectHost } from './redirect-uri.ts';

export interface ConsentPage {
  /** The path of the page. Its form posts there too. */
  path: string;
  username: string;
  request: AuthorizationRequest;
  /** The scopes whose boxes are checked. */
  chosen: readonly Scope[];
  /** What organizations demand of it. */
  demands: readonly Demand[];
  fault?: string;
}

/** Asks whether an application may act for the user, and with which scopes. */
export function renderConsentPage(site: Site, page: ConsentPage): string {
  const { request, username, path } = page;
  return renderAccountPage(site, {
    viewer: { username },
    title: `Connect ${request.clientName}?`,
    description: 'Choose what an app can access.',
    children: (
      <>
        <Asker request={request} />
        <p>
          It will act as <strong>{username}</strong>.{' '}
          <a href={`/sign-in?next=${encodeURIComponent(path)}`}>Use another account</a>
        </p>
        {page.fault !== undefined && (
          <p class="form-fault" role="alert">
            {page.fault}
          </p>
        )}
        <form class="form" method="post" action={path}>
          <input type="hidden" name="username" value={username} />
          <fieldset class="scopes">
            <legend>Permissions</legend>
            {request.scopes.map((scope) => (
              <label>
                <input
                  type="checkbox"
                  name="scope"
                  value={scope}
                  checked={page.chosen.includes(scope)}
                />
                <span>{SCOPE_DESCRIPTIONS[scope]}</span>
              </label>
            ))}
          </fieldset>
          <p class="aside">Access lasts up to 90 days unless you disconnect it in your settings.</p>
          <Demands demands={page.demands} what="app" />
          <div class="decision">
            <button type="submit" class="primary" name="decision" value="allow">
              Allow
            </button>
            <button type="submit" class="secondary" name="decision" value="deny">
              Deny
            </button>
          </div>
        </form>
      </>
    ),
  });
}

/** Shows who asks. Anyone can register any name, so only a proven host counts as identity. */
function Asker({ request }: Pick<ConsentPage, 'request'>): JSX.Element {
  const { clientName, clientId, hostProven, redirectUri } = request;
  return (
    <p class="aside">
      {hostProven ? (
        <>
          This app is published by <strong>{new URL(clientId).host}</strong>.{' '}
        </>
      ) : (
        <>We can’t verify that this app is really “{clientName}”. </>
      )}
      You’ll return to <Destination redirectUri={redirectUri} />. Allow this only if you started it
      there yourself.
    </p>
  );
}

function Destination({ redirectUri }: { redirectUri: string }): JSX.Element {
  const host = <strong>{redirectHost(redirectUri)}</strong>;
  if (isLoopbackRedirect(redirectUri)) return <>an app on this computer ({host})</>;
  if (/^https:/i.test(redirectUri)) return host;
  return <>the installed app that opens {host} links</>;
}
