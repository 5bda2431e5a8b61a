import { isIP } from 'node:net';
import type { Config } from '../../core/config/config.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Tells whether a host name is this machine's. */
export function isLoopback(hostname: string | undefined): boolean {
  return hostname !== undefined && LOOPBACK.includes(hostname);
}

/** Returns the host name in a `Host` header. */
export function hostnameOf(host: string | undefined): string | undefined {
  return parse(`http://${host}`)?.hostname;
}

/**
 * Creates the check of `Host` and `Origin` against DNS rebinding: a web page whose own name points
 * here must not use the surface, even with a leaked token. The MCP specification requires it
 * (transports, "Security & Endpoint").
 * Allowed hosts: the service's own names, loopback, and IP addresses, which no one can redirect.
 * Allowed origins: none (not a browser), the service's own, and loopback, where people run their
 * tools.
 *
 * @returns a sentence that names the refused header, or `undefined`
 */
export function originRule(
  config: Pick<Config, 'webUrl' | 'baseUrl'>,
): (host: string | undefined, origin: string | undefined) => string | undefined {
  const own = [new URL(config.webUrl), new URL(config.baseUrl)];
  const hostnames = new Set([...LOOPBACK, ...own.map(({ hostname }) => hostname)]);
  const origins = new Set(own.map(({ origin }) => origin));
  return (host, origin) => {
    const hostname = hostnameOf(host);
    if (!hostname || !(hostnames.has(hostname) || isAddress(hostname))) {
      return 'Host: is not a name of this service.';
    }
    if (origin === undefined) return undefined;
    const page = parse(origin);
    const known = page && (origins.has(page.origin) || isLocalPage(page));
    return known ? undefined : 'Origin: web pages of other origins cannot use this address.';
  };
}

function isLocalPage({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && isLoopback(hostname);
}

function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
