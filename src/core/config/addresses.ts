import ipaddr from 'ipaddr.js';
import { parseEmailAddress } from '../../base/text/email-address.ts';

export const MAX_PORT = 65_535;

/** Checks a host. An empty one means all addresses of this machine, IPv6 included. */
export function readHost(text: string): string {
  if (text !== '' && text !== 'localhost' && !isAddress(text))
    throw new Error('must be an IP address or localhost');
  return text;
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!/^[1-9]\d{0,4}$/.test(text) || port > MAX_PORT) {
    throw new Error(`must be a port from 1 to ${MAX_PORT}`);
  }
  return port;
}

export function readUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('must be an http or https address');
  if (url.username || url.password || /[?#]/.test(url.href)) {
    throw new Error('must be an address without credentials, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}

/** Checks an issuer and returns it unchanged, because issuers are compared exactly. */
export function readIssuer(text: string): string {
  const { protocol, hostname } = new URL(readUrl(text));
  if (protocol !== 'https:' && !isLoopback(hostname)) {
    throw new Error('must be an https address, except on this machine');
  }
  return text;
}

/** Parses the address of a page, such as `https://example.com/terms`. */
export function readLink(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('must be the address of a page, such as https://example.com/terms');
  }
  return url.href;
}

/** Parses an email address or the address of a page. @returns a URI, as in `mailto:ada@example.com` */
export function readContact(text: string): string {
  const address = parseEmailAddress(text.replace(/^mailto:/i, ''));
  if (address !== undefined) return `mailto:${address}`;
  // RFC 9116, section 2.5.3.
  if (!URL.canParse(text) || new URL(readLink(text)).protocol !== 'https:') {
    throw new Error('must be an email address, or the https address of a page');
  }
  return readLink(text);
}

/** Tells whether a URL's host is a loopback address. */
export function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** A host name as in a content security policy, perhaps with a port, and with `*.` for its subdomains. */
const SOURCE_HOST =
  /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d](?::\d{1,5})?$/;

/**
 * Parses a list of hosts such as `cdn.example.com,*.example.net`.
 *
 * @returns them as sources of a content security policy: `https://cdn.example.com`
 */
export function readPageSources(text: string): string[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const host = part
      .trim()
      .toLowerCase()
      .replace(/^https:\/\//, '')
      .replace(/\/$/, '');
    const [, port] = /:(\d+)$/.exec(host) ?? [];
    if (!SOURCE_HOST.test(host) || Number(port ?? 443) > MAX_PORT) {
      throw new Error(
        'must list hosts that are reached by https (cdn.example.com,*.example.net), without paths',
      );
    }
    return `https://${host}`;
  });
}

/** Tells whether a source of {@link readPageSources} includes a URL's host, on any port. */
export function isSource(source: string, { hostname }: URL): boolean {
  const host = source.replace(/^https:\/\//, '').replace(/:\d+$/, '');
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
}

/** Parses a list of proxy addresses, networks or `loopback`, or the number of proxies. */
export function readTrustProxy(text: string): false | number | string[] {
  if (text === '') return false;
  if (/^[1-9]$/.test(text)) return Number(text);
  const names = ['loopback', 'linklocal', 'uniquelocal'];
  const proxies = text.split(',').map((proxy) => proxy.trim());
  for (const proxy of proxies) {
    if (!names.includes(proxy) && !isAddress(proxy) && !isNetwork(proxy)) {
      throw new Error(
        'must list proxy addresses or networks (10.0.0.0/8, loopback), or count the proxies (1)',
      );
    }
  }
  return proxies;
}

/** Tells whether a text is a network such as 10.0.0.0/8, with a complete address. */
function isNetwork(text: string): boolean {
  return isAddress(text.replace(/\/\d+$/, '')) && ipaddr.isValidCIDR(text);
}

/** Tells whether a text is a complete IP address. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}
