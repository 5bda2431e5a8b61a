import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Allowance, LimitName, Limits } from '../../base/limits/rate-limit.ts';

/** The library's limiters, one for each enabled limit. */
export type Limiters = Map<LimitName, RateLimiterAbstract>;

/** The longest window in memory: a day. A timer ends it, and Node's timers last at most 24 days. */
export const LONGEST_WINDOW_IN_MEMORY_S = 86_400;

/** One limit in the library's format. */
export interface LimiterOptions {
  keyPrefix: string;
  points: number;
  /** The window, in seconds. */
  duration: number;
}

export function createLimiters(
  limits: Limits,
  create: (options: LimiterOptions) => RateLimiterAbstract,
): Limiters {
  const limiters: Limiters = new Map();
  for (const [name, limit] of Object.entries(limits)) {
    if (!limit) continue;
    const options = { keyPrefix: name, points: limit.count, duration: limit.windowMs / 1000 };
    limiters.set(name as LimitName, create(options));
  }
  return limiters;
}

/**
 * Counts a request, as often as `count` says. A window never exceeds its limit's duration, even if the clock is set back.
 *
 * @returns `undefined` if the limit is disabled
 * @throws Error if the limiters' store fails
 */
export async function countRequest(
  limiters: Limiters,
  name: LimitName,
  key: string,
  count = 1,
): Promise<Allowance | undefined> {
  const limiter = limiters.get(name);
  if (!limiter) return undefined;
  let { allowed, result } = await settle(limiter.consume(key, count));
  if (result.msBeforeNext > limiter.duration * 1000) {
    // The window began while the clock was ahead, so it would end too late.
    await limiter.delete(key);
    ({ allowed, result } = await settle(limiter.consume(key, count)));
  }
  return {
    allowed,
    limit: limiter.points,
    remaining: result.remainingPoints,
    resetsAt: Date.now() + result.msBeforeNext,
  };
}

/** Reverts the count of one request. @throws Error if the limiters' store fails */
export async function uncountRequest(
  limiters: Limiters,
  name: LimitName,
  key: string,
): Promise<void> {
  await limiters.get(name)?.reward(key);
}

/** Resets a count to zero. @throws Error if the limiters' store fails */
export async function forgetRequests(
  limiters: Limiters,
  name: LimitName,
  key: string,
): Promise<void> {
  await limiters.get(name)?.delete(key);
}

/**
 * Unwraps a count: the library rejects with the count if the limit is reached, with an Error if it
 * failed.
 */
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
