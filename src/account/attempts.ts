import { hash } from 'node:crypto';
import type { Actor, Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import {
  type Allowance,
  addressKey,
  type LimitName,
  networkKey,
  type RateLimiter,
} from '../limits/rate-limit.ts';

/** Too many attempts; says when the next one is possible. */
export class TooManyAttempts extends ServiceError {
  /** @param what happened too often, as a sentence */
  constructor({ resetsAt }: Allowance, what = 'There were too many attempts.') {
    const retryAfterSeconds = Math.max(1, Math.ceil((resetsAt - Date.now()) / 1000));
    const minutes = Math.ceil(retryAfterSeconds / 60);
    const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
    super('RATE_LIMITED', `${what} Try again in ${wait}.`, retryAfterSeconds);
  }
}

/** A budget that an attempt is counted against. */
export type Budget = readonly [limit: LimitName, key: string];

/** The budgets of what visitors attempt, by their IP address and, for IPv6, the /48 around it. */
export function addressBudgets(attempt: 'signIn' | 'signUp', address: string): Budget[] {
  const network = networkKey(address);
  return [
    [`${attempt}Address`, addressKey(address)],
    ...(network ? [[`${attempt}Network`, network] as const] : []),
  ];
}

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
  return [...addressBudgets('signIn', attempt.address), ['signInName', nameKey(attempt.name)]];
}

/** The budget of an account's owner who is asked for the password once more. */
export function confirmationBudget(accountId: string): Budget {
  return ['signInName', `account:${accountId}`];
}

/** Sets the failed sign-ins in an account's name back to zero. @throws Error, see {@link RateLimiter} */
export async function forgetFailures(
  limiter: RateLimiter,
  account: { id: string; username: string; email: string },
): Promise<void> {
  const budgets: Budget[] = [
    ['signInName', nameKey(account.username)],
    ['signInName', nameKey(account.email)],
    confirmationBudget(account.id),
  ];
  await Promise.all(budgets.map(([limit, key]) => limiter.forget(limit, key)));
}

function nameKey(name: string): string {
  return `name:${hash('sha256', name.toLowerCase())}`;
}

/**
 * Counts an attempt before it is made, so that many at once are no way around the count.
 *
 * @throws TooManyAttempts when a budget is used up; those after it are then left alone
 */
export async function countAttempt(limiter: RateLimiter, budgets: Budget[]): Promise<void> {
  for (const [limit, key] of budgets) {
    const allowance = await limiter.consume(limit, key);
    if (allowance && !allowance.allowed) throw new TooManyAttempts(allowance);
  }
}

/** Takes back what an attempt counted that succeeded. */
export async function forgiveAttempt(limiter: RateLimiter, budgets: Budget[]): Promise<void> {
  await Promise.all(budgets.map(([limit, key]) => limiter.giveBack(limit, key)));
}

/**
 * Does work that may send one invitation, and counts it if it does. It is counted before, so that
 * many at once are no way around the count, and taken back when nothing was sent.
 *
 * @param work calls `spend` before it writes an invitation, which throws TooManyAttempts when the
 *   actor has sent as many as an hour allows
 */
export async function countInvitation<T>(
  { limiter }: Context,
  actor: Actor,
  work: (spend: () => void) => Promise<T>,
): Promise<T> {
  const allowance = await limiter.consume('invite', actor.id);
  let isSpent = false;
  let isSent = false;
  try {
    const result = await work(() => {
      if (allowance && !allowance.allowed) {
        throw new TooManyAttempts(allowance, 'You have sent too many invitations.');
      }
      isSpent = true;
    });
    isSent = isSpent;
    return result;
  } finally {
    if (!isSent) await limiter.giveBack('invite', actor.id);
  }
}
