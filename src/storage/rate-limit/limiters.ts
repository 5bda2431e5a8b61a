import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Allowance, LimitName, Limits } from '../../limits/rate-limit.ts';

/** The library's limiters, one for each limit that is on. */
export type Limiters = Map<LimitName, RateLimiterAbstract>;

/** Node's timers, which end the windows in memory, take no more than 24 days. */
export const LONGEST_WINDOW_IN_MEMORY_S = 86_400;

/** One limit, as the library takes it. */
export interface LimiterOptions {
  keyPrefix: string;
  /** Requests in one window. */
  points: number;
  /** The window, in seconds. */
  duration: number;
}

/** Makes a limiter for each limit that is on. */
export function makeLimiters(
  limits: Limits,
  make: (options: LimiterOptions) => RateLimiterAbstract,
): Limiters {
  const limiters: Limiters = new Map();
  for (const [name, limit] of Object.entries(limits)) {
    if (!limit) continue;
    const options = { keyPrefix: name, points: limit.count, duration: limit.windowMs / 1000 };
    limiters.set(name as LimitName, make(options));
  }
  return limiters;
}

/**
 * Counts one request. No window lasts longer than its limit says, also after the clock was set back.
 *
 * @returns `undefined` where the limit is off
 * @throws Error when the limiters' store fails
 */
export async function countRequest(
  limiters: Limiters,
  name: LimitName,
  key: string,
): Promise<Allowance | undefined> {
  const limiter = limiters.get(name);
  if (!limiter) return undefined;
  let { allowed, result } = await settle(limiter.consume(key));
  if (result.msBeforeNext > limiter.duration * 1000) {
    // The window began while the clock was ahead; it would last until the clock gets there.
    await limiter.delete(key);
    ({ allowed, result } = await settle(limiter.consume(key)));
  }
  return {
    allowed,
    limit: limiter.points,
    remaining: result.remainingPoints,
    resetsAt: Date.now() + result.msBeforeNext,
  };
}

/** Takes back what one request counted. @throws Error when the limiters' store fails */
export async function uncountRequest(
  limiters: Limiters,
  name: LimitName,
  key: string,
): Promise<void> {
  await limiters.get(name)?.reward(key);
}

/** Sets a count back to zero. @throws Error when the limiters' store fails */
export async function forgetRequests(
  limiters: Limiters,
  name: LimitName,
  key: string,
): Promise<void> {
  await limiters.get(name)?.delete(key);
}

/** The library rejects with the count where it is used up, and with an Error where it failed. */
export async function settle(
  consumed: Promise<RateLimiterRes>,
): Promise<{ allowed: boolean; result: RateLimiterRes }> {
  try {
    return { allowed: true, result: await consumed };
  } catch (reason) {
    if (reason instanceof Error) throw reason;
    return { allowed: false, result: reason as RateLimiterRes };
  }
}
