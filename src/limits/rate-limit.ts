import ipaddr from 'ipaddr.js';
import type { RateLimit, RateLimitName } from '../config.ts';

const MINUTE_MS = 60_000;

/** Limits that nobody configures: passwords are not to be guessed, nor accounts heaped up. */
export const FIXED_LIMITS = {
  /** Failed sign-ins with one username or email address, or from one browser that has a history. */
  signInName: { count: 10, windowMs: 15 * MINUTE_MS },
  /** Failed sign-ins from one address, and from one network (see {@link networkKey}). */
  signInAddress: { count: 50, windowMs: 15 * MINUTE_MS },
  signInNetwork: { count: 200, windowMs: 15 * MINUTE_MS },
  /** Attempts to sign up from one address, and from one network. */
  signUpAddress: { count: 30, windowMs: 60 * MINUTE_MS },
  signUpNetwork: { count: 120, windowMs: 60 * MINUTE_MS },
  /** Attempts of one account to change its email address: each tells whether an address is taken. */
  changeEmail: { count: 10, windowMs: 60 * MINUTE_MS },
  /** Tokens given back, or asked about, from one address: each request may have us fetch a client's description. */
  oauthRevoke: { count: 60, windowMs: 10 * MINUTE_MS },
  oauthIntrospect: { count: 60, windowMs: 10 * MINUTE_MS },
  /** What a page of the web app looks up while somebody types, from one account. */
  webLookup: { count: 600, windowMs: 5 * MINUTE_MS },
  /** Searches, imports and exports from one account: they read much. */
  webSearch: { count: 300, windowMs: 5 * MINUTE_MS },
  webImport: { count: 600, windowMs: 5 * MINUTE_MS },
  webExport: { count: 20, windowMs: 5 * MINUTE_MS },
  /** What the editor has laid out, and what is uploaded from it, by one account. */
  webPreview: { count: 600, windowMs: 5 * MINUTE_MS },
  webUpload: { count: 300, windowMs: 5 * MINUTE_MS },
} as const satisfies Record<string, RateLimit>;

export type LimitName = RateLimitName | keyof typeof FIXED_LIMITS;

/** Every limit there is to count; `undefined` or absent where it is off. */
export type Limits = Partial<Record<LimitName, RateLimit | undefined>>;

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
  consume(limit: LimitName, key: string): Promise<Allowance | undefined>;
  /** Takes back what {@link consume} counted. */
  refund(limit: LimitName, key: string): Promise<void>;
  /** Sets a count back to zero. @throws Error when the counters' store does not answer */
  reset(limit: LimitName, key: string): Promise<void>;
  /** Asks the counters' store for an answer. @throws Error when there is none within a second */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Counts nothing: for commands, which only an operator can run. */
export const UNLIMITED: RateLimiter = {
  async consume() {
    return undefined;
  },
  async refund() {},
  async reset() {},
  async ping() {},
  async close() {},
};

/**
 * The key of a client without a token: its address. IPv6 clients own a /64 at least, so that is
 * one client; an IPv4 address mapped into IPv6 is the IPv4 address. Proxies may say what is no
 * address ("unknown"); whoever comes from there is one client.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return 'ip:unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? prefixKey(parsed, 64) : `ip:${parsed.toString()}`;
}

/**
 * The key of the network around an IPv6 address: its /48, which is what one customer of a provider
 * commonly has, 65,536 times a /64. `undefined` for IPv4, where addresses are dear.
 */
export function networkKey(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? prefixKey(parsed, 48) : undefined;
}

function prefixKey(address: ipaddr.IPv6, bits: number): string {
  const cidr = `${address.toNormalizedString()}/${bits}`;
  return `ip:${ipaddr.IPv6.networkAddressFromCIDR(cidr).toString()}/${bits}`;
}
