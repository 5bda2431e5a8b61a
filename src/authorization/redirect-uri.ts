/** The longest address that an application may be sent back to, in characters. */
const MAX_LENGTH = 2_000;

/** Hosts that are the person's own machine (RFC 8252, sections 7.3 and 8.3). */
const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * What a host may be made of: names, IPv4, IPv6. URLs allow more, such as `;`, `,` and `*`, which
 * mean something in a Content Security Policy.
 */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

/** Schemes that browsers or systems act on by themselves, so that no application can claim them. */
const PUBLIC_SCHEMES =
  /^(about|afp|android-app|blob|callto|cid|content|data|dav|facetime[\w-]*|feed|file|filesystem|ftps?|git|gopher|hcp|imap|intent|itms[\w-]*|jar|j(ava)?script|ldaps?|livescript|magnet|mailto|market|mhtml|mid|mk|mocha|nfs|news|rdp|res|resource|rtsp|search(-ms)?|s?sftp|shell|sips?|smb|sms|ssh|tel|telnet|urn|vbscript|view-source|vnc|wss?|[\w.+-]*-extension|(chrome|edge|ms|opera|safari|x-apple)[\w.+-]*):$/;

/**
 * What is wrong with an address that an application wants people sent back to; nothing when it is
 * fine: `https`, `http` on the person's own machine, or a scheme that an installed application has
 * claimed (RFC 8252, section 7). Schemes need no dot, since well-known applications' have none.
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
  return PUBLIC_SCHEMES.test(url.protocol) ? `must not use the scheme ${url.protocol}` : undefined;
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
