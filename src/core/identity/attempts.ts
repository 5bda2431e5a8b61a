import { hash } from 'node:crypto';
import { ServiceError } from '../../base/errors.ts';
import {
  type Allowance,
  addressKey,
  type LimitName,
  networkKey,
  type RateLimiter,
} from '../../base/limits/rate-limit.ts';
import { emailKey } from '../../base/text/email-address.ts';
import type { Call } from '../context.ts';

/** Too many attempts. The message and `Retry-After` say when the next one is possible. */
export class TooManyAttempts extends ServiceError {
  /** @param what a sentence that says what happened too often */
  constructor({ resetsAt }: Allowance, what = 'Too many attempts.') {
    const retryAfterSeconds = Math.max(1, Math.ceil((resetsAt - Date.now()) / 1000));
    const minutes = Math.ceil(retryAfterSeconds / 60);
    const hours = Math.ceil(minutes / 60);
    const wait =
      minutes === 1 ? 'a minute' : minutes > 120 ? `${hours} hours` : `${minutes} minutes`;
    super('RATE_LIMITED', `${what} Try again in ${wait}.`, retryAfterSeconds);
  }
}

export type Budget = readonly [limit: LimitName, key: string];

/** Returns the budgets of a visitor's attempts: by IP address and, for IPv6, by its /48. */
export function addressBudgets(attempt: 'signIn' | 'signUp', address: string): Budget[] {
  const network = networkKey(address);
  return [
    [`${attempt}Address`, addressKey(address)],
    ...(network ? [[`${attempt}Network`, network] as const] : []),
  ];
}

/**
 * Returns the budgets of a sign-in. A browser that has signed in to the account before has its own,
 * so that no one can lock a person out by failing in their name or from their network. Each typed
 * name counts on its own, in all its spellings: counting by account would reveal which username and email
 * address belong together.
 */
export function signInBudgets(attempt: {
  name: string;
  address: string;
  device: string | undefined;
}): Budget[] {
  if (attempt.device !== undefined) {
    return [['signInName', `device:${attempt.device.split('.')[0]}`]];
  }
  return [...addressBudgets('signIn', attempt.address), nameBudget(attempt.name)];
}

/** Returns the budgets of opening a secret link with a password. */
export function linkPasswordBudgets(linkId: string, address: string): Budget[] {
  return [
    ['linkPassword', `${linkId} ${addressKey(address)}`],
    ['linkPasswordOfAll', linkId],
  ];
}

/** Returns the budgets of entering the code that a device shows. */
export function deviceCodeBudgets(accountId: string, address: string): Budget[] {
  return [
    ['deviceCode', accountId],
    ['deviceCodeAddress', addressKey(address)],
  ];
}

/** Returns the budget for confirming the account's own password. */
export function confirmationBudget(accountId: string): Budget {
  return ['signInName', `account:${accountId}`];
}

/** Returns the budget for the second factor of an account: one-time codes and recovery codes. */
export function secondFactorBudget(accountId: string): Budget {
  return ['signInName', `second:${accountId}`];
}

/** Returns the budget of links to a new password that anyone requests with a name. */
export function resetBudget(name: string): Budget {
  return ['passwordReset', `name:${hash('sha256', nameKey(name))}`];
}

/** Resets the failed sign-ins in an account's name. @throws Error, see {@link RateLimiter} */
export async function forgetFailures(
  limiter: RateLimiter,
  account: { id: string; username: string; email: string },
): Promise<void> {
  const budgets: Budget[] = [
    nameBudget(account.username),
    nameBudget(account.email),
    confirmationBudget(account.id),
    secondFactorBudget(account.id),
  ];
  await Promise.all(budgets.map(([limit, key]) => limiter.reset(limit, key)));
}

function nameBudget(name: string): Budget {
  return ['signInName', `name:${hash('sha256', nameKey(name))}`];
}

/** Returns what identifies a typed username or email address, in any spelling. */
export function nameKey(name: string): string {
  return name.includes('@') ? emailKey(name) : name.toLowerCase();
}

/**
 * Counts an attempt before it is made, so that parallel attempts can't exceed the limit.
 *
 * @throws TooManyAttempts if a budget is used up; later budgets aren't counted then
 */
export async function countAttempt(limiter: RateLimiter, budgets: Budget[]): Promise<void> {
  for (const [limit, key] of budgets) {
    const allowance = await limiter.consume(limit, key);
    if (allowance && !allowance.allowed) throw new TooManyAttempts(allowance);
  }
}

/** Takes back the count of a successful attempt. */
export async function forgiveAttempt(limiter: RateLimiter, budgets: Budget[]): Promise<void> {
  await Promise.all(budgets.map(([limit, key]) => limiter.refund(limit, key)));
}

/** Returns the budgets of inviting an address by mail, besides that of every invitation. */
export function emailInvitationBudgets(accountId: string, emailKey: string): Budget[] {
  return [
    ['emailInvitation', accountId],
    ['emailInvitationTo', `address:${hash('sha256', emailKey)}`],
  ];
}

/**
 * Runs work that may send one invitation, and counts it if it does. Counts before sending, so that
 * parallel calls can't exceed the limit, and uncounts if nothing was sent.
 *
 * @param work must call `spend` before it writes an invitation; `spend` throws TooManyAttempts if
 *   a limit is used up: the actor's own (`invite`), or one of `more`
 */
export async function countInvitation<T>(
  { limiter, actor }: Call,
  work: (spend: () => void) => Promise<T>,
  more: readonly Budget[] = [],
): Promise<T> {
  const budgets: Budget[] = [['invite', actor.id], ...more];
  const allowances = await Promise.all(budgets.map(([limit, key]) => limiter.consume(limit, key)));
  let isSpent = false;
  let isSent = false;
  try {
    const result = await work(() => {
      for (const [index, allowance] of allowances.entries()) {
        if (!allowance || allowance.allowed) continue;
        const isAddress = budgets[index]?.[0] === 'emailInvitationTo';
        const who = isAddress ? 'This address was sent' : 'You have sent';
        throw new TooManyAttempts(allowance, `${who} too many invitations.`);
      }
      isSpent = true;
    });
    isSent = isSpent;
    return result;
  } finally {
    if (!isSent) await Promise.all(budgets.map(([limit, key]) => limiter.refund(limit, key)));
  }
}
