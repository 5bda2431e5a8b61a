import type { JSX } from 'preact';
import { SCOPES, type Scope } from '../../account/scope.ts';
import type { AuthorizationRequest } from '../../authorization/consent-service.ts';
import { isLoopback, redirectHost } from '../../authorization/redirect-uri.ts';
import type { Site } from './assets.ts';
import { renderPeoplePage } from './people-page.tsx';

export interface ConsentPage {
  /** The path of the page, which its form posts to. */
  path: string;
  username: string;
  request: AuthorizationRequest;
  /** What is chosen. */
  chosen: readonly Scope[];
  fault?: string;
}

/** Asks whether an application may act for somebody, and what it may do. */
export function renderConsentPage(site: Site, page: ConsentPage): string {
  const { request, username, path } = page;
  return renderPeoplePage(site, {
    viewer: { username },
    title: `Connect ${request.clientName}?`,
    description: 'Decide what an application may do for you.',
    children: (
      <>
        <Asker request={request} />
        <p>
          It asks to act as <strong>{username}</strong>.{' '}
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
            <legend>It may</legend>
            {request.scopes.map((scope) => (
              <label>
                <input
                  type="checkbox"
                  name="scope"
                  value={scope}
                  checked={page.chosen.includes(scope)}
                />
                <span>{SCOPES[scope]}</span>
              </label>
            ))}
          </fieldset>
          <p class="aside">
            It can do this until you disconnect it in your settings, for 90 days at most.
          </p>
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

/** Who asks, as far as anybody can tell: names are free to take, hosts are not. */
function Asker({ request }: Pick<ConsentPage, 'request'>): JSX.Element {
  const { clientName, clientId, hostProven, redirectUri } = request;
  return (
    <p class="aside">
      {hostProven ? (
        <>
          <strong>{new URL(clientId).host}</strong> describes this application.{' '}
        </>
      ) : (
        <>Nobody has verified that this is “{clientName}”. </>
      )}
      Afterwards you go back to <Destination redirectUri={redirectUri} />. Allow it only if you
      started this there yourself.
    </p>
  );
}

function Destination({ redirectUri }: { redirectUri: string }): JSX.Element {
  const host = <strong>{redirectHost(redirectUri)}</strong>;
  if (isLoopback(redirectUri)) return <>a program on this computer ({host})</>;
  if (/^https:/i.test(redirectUri)) return host;
  return <>the installed application that opens {host}</>;
}
