import type { Config } from './config.ts';
import { spellingsOf } from './host-header.ts';

/** The surface that handles a request: a host's, or a part of the API's. */
export type Surface = 'web' | 'rest' | 'mcp' | 'upload' | 'oauth' | 'render';

/** The parts of the API that are not REST, by path. */
const API_PARTS: [paths: RegExp, Surface][] = [
  [/^\/mcp(\/|$)/, 'mcp'],
  [/^\/uploads\/./, 'upload'],
  [/^\/oauth\/(token|device|register|revoke|introspect|jwks)$/, 'oauth'],
  [/^\/sso\/authorize(\/|$)/, 'oauth'],
  [/^\/\.well-known\/(oauth-authorization-server|openid-configuration)$/, 'oauth'],
];

/** Paths of authorization metadata (RFC 8414, RFC 9728, OpenID Discovery). */
const METADATA =
  /^\/\.well-known\/(oauth-authorization-server|openid-configuration|oauth-protected-resource)(\/|$)/;

/**
 * Creates the function that chooses the surface by `Host`, and by path if the API shares the web
 * host. Unknown hosts get the web host, so the service also answers at addresses that are not
 * configured, such as an IP address.
 */
export function surfaceRule(
  config: Pick<Config, 'webUrl' | 'baseUrl' | 'renderUrl'>,
): (host: string | undefined, path: string) => Surface {
  const web = new URL(config.webUrl);
  const base = new URL(config.baseUrl);
  const render = new URL(config.renderUrl);
  const prefix = base.pathname === '/' ? '' : base.pathname;
  const apiSharesHost = base.host === web.host;
  const renderHosts = spellingsOf(render);
  const apiHosts = spellingsOf(base);
  return (header, path) => {
    const host = header?.toLowerCase() ?? '';
    if (renderHosts.includes(host)) return 'render';
    if (!apiSharesHost && !apiHosts.includes(host)) return 'web';
    if (METADATA.test(path)) return 'oauth';
    if (path === prefix || path.startsWith(`${prefix}/`)) return apiPart(path.slice(prefix.length));
    return apiSharesHost ? 'web' : 'rest';
  };
}

function apiPart(path: string): Surface {
  return API_PARTS.find(([paths]) => paths.test(path))?.[1] ?? 'rest';
}

export function originOf(
  surface: Surface,
  { webUrl, baseUrl, renderUrl }: Pick<Config, 'webUrl' | 'baseUrl' | 'renderUrl'>,
): string {
  const url = surface === 'web' ? webUrl : surface === 'render' ? renderUrl : baseUrl;
  return new URL(url).origin;
}

/** Returns the path of a request target in origin or absolute form (RFC 9112, section 3.2). */
export function pathOf(target: string): string {
  const path = target.startsWith('/')
    ? target
    : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const end = path.search(/[?#]/);
  return end < 0 ? path : path.slice(0, end);
}

/** Returns the first path segments on the web host that the API uses. */
export function takenSegments(config: Pick<Config, 'webUrl' | 'baseUrl'>): string[] {
  const base = new URL(config.baseUrl);
  return base.origin === new URL(config.webUrl).origin ? base.pathname.split('/').slice(1, 2) : [];
}

/** Returns the query of a request's target, without `?`; '' if there is none. */
export function queryOf(target: string): string {
  return /\?([^#]*)/.exec(target)?.[1] ?? '';
}
