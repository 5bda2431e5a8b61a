import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import type { FastifyBaseLogger } from 'fastify';
import { isLoopback } from '../../core/config/addresses.ts';
import type { Config } from '../../core/config/config.ts';

/** Tells whether a proxy is trusted, by its address and its distance from this service. */
export type TrustProxy = (address: string, hop: number) => boolean;

/** Compiles the setting; `false` if no proxy is trusted. */
export function proxyRule(setting: Config['trustProxy']): TrustProxy | false {
  if (setting === false) return false;
  if (typeof setting === 'number') return (_address, hop) => hop < setting;
  return proxyAddress.compile(setting);
}

/** Returns the client's address, as Fastify's `request.ip` does. */
export function clientAddress(
  request: IncomingMessage,
  trustProxy: TrustProxy | false,
): string | undefined {
  return trustProxy ? proxyAddress(request, trustProxy) : request.socket.remoteAddress;
}

/** Returns a readable address: an IPv4 address mapped into IPv6 becomes the IPv4 address. */
export function shownAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

const warned = new WeakSet<FastifyBaseLogger>();

/** Warns, once, of a proxy on this machine that no setting trusts: all its clients count as one. */
export function warnOfProxy(request: IncomingMessage, logger: FastifyBaseLogger): void {
  if (request.headers['x-forwarded-for'] === undefined || warned.has(logger)) return;
  if (!isLoopback(request.socket.remoteAddress ?? '')) return;
  warned.add(logger);
  logger.warn(
    'A proxy on this machine sends X-Forwarded-For, but TRUST_PROXY is not set. Its clients share one address and one rate limit. Set TRUST_PROXY=loopback.',
  );
}
