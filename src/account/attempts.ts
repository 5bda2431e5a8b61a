import { hash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { addressKey, type LimitName, type RateLimiter } from '../rate-limit.ts';

/** Too many attempts; says when the next one is possible. */
export class TooManyAttempts extends ServiceError {
  constructor(retryAfterSeconds: number) {
    const minutes = Math.ceil(retryAfterSeconds / 60);
    const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
    super('RATE_LIMITED', `There were too many attempts. Try again in ${wait}.`, retryAfterSeconds);
  }
}

/** A budget that an attempt is counted against. */
export type Budget = readonly [limit: LimitName, key: string];

/**
 * The budgets of a sign-in. A browser that has signed in to the account before has one of its own,
 * so that nobody can lock a person out by failing in the person's name, or from the person's
 * network. Names count as they were typed: counted by account, they would tell which of them belong
 * together.
 */
export function signInBudgets(attempt: {
  name: string;
  address: string;
  device: string | undefined;
}): Budget[] {
  if (attempt.device !== undefined) return [['signInName', `device:${attempt.device}`]];
  return [
    ['signInAddress', addressKey(attempt.address)],
    ['signInName', `name:${hash('sha256', attempt.name)}`],
  ];
}

/**
 * Counts an attempt before it is made, so that many at once are no way around the count.
 *
 * @throws TooManyAttempts when a budget is used up; those after it are then left alone
 */
export async function countAttempt(limiter: RateLimiter, budgets: Budget[]): Promise<void> {
  for (const [limit, key] of budgets) {
    const allowance = await limiter.consume(limit, key);
    if (!allowance || allowance.allowed) continue;
    const seconds = Math.ceil((allowance.resetsAt - Date.now()) / 1000);
    throw new TooManyAttempts(Math.max(1, seconds));
  }
}

/** Takes back what an attempt counted that succeeded. */
export async function forgiveAttempt(limiter: RateLimiter, budgets: Budget[]): Promise<void> {
  await Promise.all(budgets.map(([limit, key]) => limiter.giveBack(limit, key)));
}
