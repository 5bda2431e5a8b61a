/** In characters. */
const MAX_LENGTH = 2_000;

/** Hosts of the user's own machine (RFC 8252, sections 7.3 and 8.3). */
const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * Names, IPv4 and IPv6. URLs also allow `;`, `,` and `*`, which have a meaning in a Content
 * Security Policy.
 */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

/**
 * Dotless schemes of well-known applications, as registered with operating systems. Other
 * applications use a reverse domain (RFC 8252, section 7.1).
 */
const APPLICATION_SCHEMES = [
  'antigravity:',
  'claude:',
  'cursor:',
  'cursor-insiders:',
  'goose:',
  'jetbrains:',
  'kiro:',
  'lmstudio:',
  'opencode:',
  'raycast:',
  'trae:',
  'void:',
  'vscode:',
  'vscode-insiders:',
  'vscodium:',
  'warp:',
  'windsurf:',
  'zed:',
];

/** At least two labels. No browser or operating system handles such a scheme itself. */
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+:$/;

/**
 * Returns what is wrong with a redirect address, or `undefined`. Allowed are `https`, `http` on
 * loopback, a reverse-domain scheme and the schemes of well-known applications (RFC 8252, section
 * 7).
 */
export function redirectProblem(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (!url || uri.length > MAX_LENGTH || /[^\x21-\x7e]|\\/.test(uri)) return 'is not an address';
  if (uri.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (/^https?:$/.test(url.protocol) && !HOST.test(url.hostname)) return 'has an invalid host';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') {
    return isLoopbackRedirect(uri)
      ? undefined
      : 'can use http only on 127.0.0.1, [::1] or localhost';
  }
  if (APPLICATION_SCHEMES.includes(url.protocol) || REVERSE_DOMAIN.test(url.protocol)) {
    return undefined;
  }
  const scheme = url.protocol.slice(0, -1);
  return `has the scheme "${scheme}", which is not allowed; use https, http on localhost, or a reversed domain name such as com.example.app`;
}

/** Tells whether an address is http on the user's own machine. */
export function isLoopbackRedirect(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname);
}

/**
 * Returns the spellings of a redirect address that count as the same: on the user's own machine, a
 * root with and without its slash, because libraries add it.
 */
export function spellings(uri: string): string[] {
  if (!isLoopbackRedirect(uri) || !/^http:\/\/[^/?]+\/?$/.test(uri)) return [uri];
  return [uri, uri.endsWith('/') ? uri.slice(0, -1) : `${uri}/`];
}

/** Returns the redirect's host for display, or an installed application's scheme. */
export function redirectHost(uri: string): string {
  const url = new URL(uri);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol;
}

/**
 * Returns the `form-action` source that lets a form redirect to this address (Content Security
 * Policy, section 2.3.1).
 */
export function formActionSource(uri: string): string {
  const url = new URL(uri);
  // CSP sources can't be IPv6 addresses, and an installed application has no host.
  const named = url.protocol === 'https:' || (url.protocol === 'http:' && !/^\[/.test(url.host));
  return named ? url.origin : url.protocol;
}
