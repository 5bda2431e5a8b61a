import type { JSX } from 'preact';
import type { Scope } from '../../core/identity/scope.ts';
import { SCOPE_DESCRIPTIONS } from '../../core/identity/scope-descriptions.ts';
import type { Demand } from '../../core/owner/program-service.ts';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Demands, ReachField } from '../policies/reach.tsx';
import type { AuthorizationRequest } from './authorization-request.ts';
import { DEVICE_PATH } from './device-page.tsx';
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
  /** What to limit it to, as typed. */
  reach: string;
  reachFault?: string | undefined;
  fault?: string;
}

/** Asks whether an application may act for the user, and with which scopes. */
export function renderConsentPage(site: Site, page: ConsentPage): string {
  const { request, username, path } = page;
  // Who enters a device's code decides about it.
  const start = request.device ? `${DEVICE_PATH}?user_code=${request.device.userCode}` : path;
  return renderAccountPage(site, {
    viewer: { username },
    title: `Connect ${request.clientName}?`,
    description: 'Choose what an app can access.',
    children: (
      <>
        <Asker request={request} />
        <p>
          It will act as <strong>{username}</strong>.{' '}
          <a href={`/sign-in?next=${encodeURIComponent(start)}`}>Use another account</a>
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
          <ReachField value={page.reach} fault={page.reachFault} what="app" />
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
  const { clientName, clientId, hostProven, redirectUri, device } = request;
  if (device) {
    return (
      <>
        <p class="aside">
          A device asked for this from the address <strong>{device.address}</strong>. We can’t
          verify that it really runs “{clientName}”.
        </p>
        <p class="caution">
          Allow this only if the device in front of you shows <strong>{device.userCode}</strong> and
          you started it yourself. Deny it if somebody sent you the code.
        </p>
      </>
    );
  }
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
