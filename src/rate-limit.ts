import ipaddr from 'ipaddr.js';
import type { RateLimitName } from './config.ts';

/** What counting one request came to. */
export interface Allowance {
  allowed: boolean;
  /** Requests in one window. */
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** When the window ends, in milliseconds since the epoch. */
  resetsAt: number;
}

/** Counts requests in fixed windows, one count per key, for all processes of the service. */
export interface RateLimiter {
  /**
   * Counts one request.
   *
   * @param key who makes it
   * @returns `undefined` where the limit is off
   */
  consume(limit: RateLimitName, key: string): Promise<Allowance | undefined>;
  close(): Promise<void>;
}

/**
 * The key of a client without a token: its address. IPv6 clients own a /64 at least, so that is
 * one client; an IPv4 address mapped into IPv6 is the IPv4 address. Proxies may say what is no
 * address ("unknown"); whoever comes from there is one client.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return 'ip:unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6) {
    const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`);
    return `ip:${network.toString()}/64`;
  }
  return `ip:${parsed.toString()}`;
}
