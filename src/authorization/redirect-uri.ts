/** The longest address that an application may be sent back to, in characters. */
const MAX_LENGTH = 2_000;

/** Hosts that are the person's own machine (RFC 8252, sections 7.3 and 8.3). */
const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * What a host may be made of: names, IPv4, IPv6. URLs allow more, such as `;`, `,` and `*`, which
 * mean something in a Content Security Policy.
 */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

/**
 * Schemes of well-known applications that have no dot, as the operating systems register them. Any
 * other application uses a domain of its own in reverse (RFC 8252, section 7.1).
 */
const APPLICATION_SCHEMES = [
  'claude:',
  'cursor:',
  'cursor-insiders:',
  'goose:',
  'raycast:',
  'vscode:',
  'vscode-insiders:',
  'vscodium:',
  'warp:',
  'windsurf:',
  'zed:',
];

/** A domain in reverse: at least two labels. No browser or system acts on such a scheme by itself. */
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+:$/;

/**
 * Says what is wrong with a redirect address; `undefined` when it is allowed: `https`, `http` on
 * loopback, a reverse-domain scheme, or the scheme of a well-known application (RFC 8252, section 7).
 */
export function redirectProblem(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (!url || uri.length > MAX_LENGTH || /[^\x21-\x7e]|\\/.test(uri)) return 'is no address';
  if (uri.includes('#')) return 'must have no fragment';
  if (url.username !== '' || url.password !== '') return 'must carry no credentials';
  if (/^https?:$/.test(url.protocol) && !HOST.test(url.hostname)) return 'names no host';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') {
    return isLoopback(uri) ? undefined : 'may use http only on 127.0.0.1, [::1] or localhost';
  }
  if (APPLICATION_SCHEMES.includes(url.protocol) || REVERSE_DOMAIN.test(url.protocol)) {
    return undefined;
  }
  const scheme = url.protocol.slice(0, -1);
  return `has the scheme "${scheme}", which is not allowed; use https, http on localhost, or a domain in reverse such as com.example.app`;
}

/** Whether an address is on the person's own machine, over http. */
export function isLoopback(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname);
}

/** Where a person is sent back to, for people: a host, or an installed application's scheme. */
export function redirectHost(uri: string): string {
  const url = new URL(uri);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol;
}

/**
 * What a page's `form-action` has to name, so that a form may end in a redirect to this address
 * (Content Security Policy, section 2.3.1).
 */
export function formActionSource(uri: string): string {
  const url = new URL(uri);
  // The grammar of sources has no IPv6 addresses, and an installed application no host.
  const named = url.protocol === 'https:' || (url.protocol === 'http:' && !/^\[/.test(url.host));
  return named ? url.origin : url.protocol;
}
