import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import type { Config } from '../config.ts';

/** Whether a proxy's word is taken: its address, and how many stand between it and this service. */
export type TrustProxy = (address: string, hop: number) => boolean;

/** The rule that a setting stands for; `false` where no proxy is believed. */
export function proxyRule(setting: Config['trustProxy']): TrustProxy | false {
  if (setting === false) return false;
  if (typeof setting === 'number') return (_address, hop) => hop < setting;
  return proxyAddress.compile(setting);
}

/** The address of whoever makes a request, as the framework says it. */
export function clientAddress(
  request: IncomingMessage,
  trustProxy: TrustProxy | false,
): string | undefined {
  return trustProxy ? proxyAddress(request, trustProxy) : request.socket.remoteAddress;
}

/** Returns an address for people to read: an IPv4 address mapped into IPv6 as the IPv4 address. */
export function shownAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=[\d.]+$)/i, '');
}
