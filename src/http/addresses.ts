import type { Config } from '../config.ts';
import { spellingsOf } from './host-header.ts';

/** What answers a request: one of the three addresses of the service, or a part of the API's. */
export type Surface = 'web' | 'rest' | 'mcp' | 'oauth' | 'render';

/** The parts of the API's address that are not REST, by their paths below it. */
const API_PARTS: [paths: RegExp, Surface][] = [
  [/^\/mcp(\/|$)/, 'mcp'],
  [/^\/oauth\/(token|register|revoke|introspect|jwks)$/, 'oauth'],
  [/^\/sso\/authorize(\/|$)/, 'oauth'],
  [/^\/\.well-known\/(oauth-authorization-server|openid-configuration)$/, 'oauth'],
];

/** Where clients look for descriptions of authorization (RFC 8414, RFC 9728, OpenID Discovery). */
const METADATA =
  /^\/\.well-known\/(oauth-authorization-server|openid-configuration|oauth-protected-resource)(\/|$)/;

/**
 * Makes the rule that tells the surfaces apart on the one port that carries all three: by `Host`,
 * and by path where the API shares the web host. A host that is none of ours gets the web host, so
 * that the service also answers at an address that its settings do not name (a port mapping, an
 * IP address).
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

/** The path of a request target, in origin form or absolute form (RFC 9112, section 3.2). */
export function pathOf(target: string): string {
  const path = target.startsWith('/')
    ? target
    : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const end = path.search(/[?#]/);
  return end < 0 ? path : path.slice(0, end);
}

/** First path segments that the configuration takes on the web host. */
export function takenSegments(config: Pick<Config, 'webUrl' | 'baseUrl'>): string[] {
  const base = new URL(config.baseUrl);
  return base.origin === new URL(config.webUrl).origin ? base.pathname.split('/').slice(1, 2) : [];
}
