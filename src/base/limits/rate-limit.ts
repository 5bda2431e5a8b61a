import ipaddr from 'ipaddr.js';
import { DAY_MS, MINUTE_MS } from '../time/clock.ts';

/** At most `count` requests in each window of `windowMs`. */
export interface RateLimit {
  count: number;
  windowMs: number;
}

export type RateLimitName = 'api' | 'oauthToken' | 'ssoAuthorize' | 'oauthRegister' | 'invite';

/** Limits without a setting, against password guessing, mass sign-ups, spam and overload. */
export const FIXED_LIMITS = {
  /**
   * Failed sign-ins with one username or email address, or from one known browser. Also failed
   * confirmations of one account's password.
   */
  signInName: { count: 10, windowMs: 15 * MINUTE_MS },
  /** Failed sign-ins from one address, and from one network (see {@link networkKey}). */
  signInAddress: { count: 50, windowMs: 15 * MINUTE_MS },
  signInNetwork: { count: 200, windowMs: 15 * MINUTE_MS },
  /** Wrong passwords of one secret link, from one address and by all. */
  linkPassword: { count: 10, windowMs: 15 * MINUTE_MS },
  linkPasswordOfAll: { count: 200, windowMs: 15 * MINUTE_MS },
  /** Attempts to sign up, or to get a link to a new password, from one address, and from one network. */
  signUpAddress: { count: 30, windowMs: 60 * MINUTE_MS },
  signUpNetwork: { count: 120, windowMs: 60 * MINUTE_MS },
  /**
   * Attempts of one account to change its email address. Each reveals whether an address is taken.
   */
  changeEmail: { count: 10, windowMs: 60 * MINUTE_MS },
  /** Mails that one account requests to verify its address. */
  verificationMail: { count: 5, windowMs: 60 * MINUTE_MS },
  /** Links to a new password that are requested with one username or address. */
  passwordReset: { count: 5, windowMs: 60 * MINUTE_MS },
  /** Invitations to addresses by one account, and to one address by anyone. */
  emailInvitation: { count: 50, windowMs: DAY_MS },
  emailInvitationTo: { count: 5, windowMs: DAY_MS },
  /**
   * Token revocations and introspections from one address. Each can make us fetch a client's
   * metadata.
   */
  oauthRevoke: { count: 60, windowMs: 10 * MINUTE_MS },
  oauthIntrospect: { count: 60, windowMs: 10 * MINUTE_MS },
  /** Devices without a browser that ask from one address, and what one asks with its code. */
  oauthDevice: { count: 30, windowMs: 10 * MINUTE_MS },
  devicePoll: { count: 2, windowMs: 5_000 },
  /** Wrong codes of devices that one account enters, and that one address does. */
  deviceCode: { count: 10, windowMs: 15 * MINUTE_MS },
  deviceCodeAddress: { count: 50, windowMs: 15 * MINUTE_MS },
  /** Kilobytes of answers that are kept for repeated requests of one account. No quota counts them. */
  keptAnswer: { count: 50_000, windowMs: DAY_MS },
  /** Reports of public documents, by one account, or from one address without an account. */
  report: { count: 5, windowMs: 60 * MINUTE_MS },
  /**
   * Background requests of one account: name suggestions, comments, who else is editing. Also codes of
   * devices, right or wrong.
   */
  webLookup: { count: 600, windowMs: 5 * MINUTE_MS },
  /** Expensive requests of one account. */
  webSearch: { count: 300, windowMs: 5 * MINUTE_MS },
  webImport: { count: 600, windowMs: 5 * MINUTE_MS },
  webExport: { count: 20, windowMs: 5 * MINUTE_MS },
  /** Previews and uploads in the editor, by one account. */
  webPreview: { count: 600, windowMs: 5 * MINUTE_MS },
  webUpload: { count: 300, windowMs: 5 * MINUTE_MS },
  /** Tickets to upload that one account gets, and its attempts to use them. */
  uploadTicket: { count: 300, windowMs: 15 * MINUTE_MS },
  uploadAttempt: { count: 300, windowMs: 5 * MINUTE_MS },
} as const satisfies Record<string, RateLimit>;

export type LimitName = RateLimitName | keyof typeof FIXED_LIMITS;

/** All limits; `undefined` or absent if disabled. */
export type Limits = Partial<Record<LimitName, RateLimit | undefined>>;

/** The result of counting a request. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** When the window ends, in milliseconds since the epoch. */
  resetsAt: number;
}

/** Counts requests per key in fixed windows, across all processes of the service. */
export interface RateLimiter {
  /**
   * Counts a request of a caller.
   *
   * @param count as how many it counts, 1 by default
   * @returns `undefined` if the limit is disabled
   */
  consume(limit: LimitName, key: string, count?: number): Promise<Allowance | undefined>;
  /** Reverts one {@link consume}. */
  refund(limit: LimitName, key: string): Promise<void>;
  /** Resets a count to zero. @throws Error if the store does not answer */
  reset(limit: LimitName, key: string): Promise<void>;
  /** @throws Error if the store does not answer within a second */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Has no limits. For the operator's commands. */
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
 * Returns the key of a client without a token: its address. An IPv6 client has at least a /64, so
 * that is the key. An IPv4 address mapped into IPv6 counts as IPv4. A proxy can send an invalid
 * address ("unknown"); all of those share one key.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return 'ip:unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? prefixKey(parsed, 64) : `ip:${parsed.toString()}`;
}

/**
 * Returns the key of an IPv6 address's /48, which one customer of a provider commonly has: 65,536
 * times a /64. `undefined` for IPv4, where addresses are scarce.
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
