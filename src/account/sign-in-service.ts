import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import { requireAccount } from './account-service.ts';
import { countAttempt, forgetFailures, forgiveAttempt, signInBudgets } from './attempts.ts';
import { readDevice, writeDevice } from './device.ts';
import { parseNamespace } from './namespace.ts';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';
import {
  findPasswordByEmail,
  findPasswordByUsername,
  type PasswordRow,
  updatePasswordHash,
} from './password-store.ts';

/** Somebody who has shown who they are. */
export interface SignedIn {
  accountId: string;
  /** For the browser to keep (see {@link writeDevice}). */
  device: string;
}

/**
 * Checks a username or email address with its password. Whatever is wrong, and whether or not there
 * is such an account, the answer is one and the same and costs one look-up and one hashing.
 *
 * @param input.address the client's IP address
 * @param input.device what the browser kept from an earlier sign-in
 * @throws UNAUTHORIZED when they do not match, or the account is disabled; TooManyAttempts;
 *   BackEndUnavailable when too many passwords are being checked
 */
export async function signIn(
  context: Context,
  limiter: RateLimiter,
  input: { name: string; password: string; address: string; device: string | undefined },
): Promise<SignedIn> {
  const name = input.name.trim().toLowerCase();
  const account = await findByName(context, name);
  const device = readDevice(input.device ?? '', account?.id ?? '', account?.passwordHash ?? '');
  const budgets = signInBudgets({ name, address: input.address, device });
  await countAttempt(limiter, budgets);
  const matches = await verifyPassword(input.password, account?.passwordHash ?? null);
  if (!account?.passwordHash || !matches || account.disabledAt !== null) {
    throw new ServiceError('UNAUTHORIZED', 'This name and this password do not match.');
  }
  await forgiveAttempt(limiter, budgets);
  const hash = await renewHash(context, account.id, account.passwordHash, input.password);
  return { accountId: account.id, device: writeDevice(account.id, hash) };
}

/**
 * Lets a user sign in again after too many failures in the user's name, which anyone may have caused.
 * Failures are also counted by address; those stay.
 *
 * @returns the username
 * @throws NOT_FOUND; Error when the counters' store does not answer
 */
export async function unlockAccount(context: Context, username: string): Promise<string> {
  const account = await requireAccount(context.sql.read, username);
  await forgetFailures(context.limiter, account);
  return account.username;
}

/** What can be nobody's name is looked up like any other, as one that nobody has. */
function findByName(context: Context, name: string): Promise<PasswordRow | undefined> {
  const { read } = context.sql;
  // No database keeps a NUL, so with one it is no less nobody's than without.
  if (name.includes('@')) return findPasswordByEmail(read, name.replaceAll('\0', ' '));
  return findPasswordByUsername(read, parseNamespace(name) ?? '');
}

/** Hashes anew what was hashed at another cost; only now is the password known. */
async function renewHash(
  context: Context,
  accountId: string,
  from: string,
  password: string,
): Promise<string> {
  if (!isOutdated(from)) return from;
  const to = await hashPassword(password);
  const renewed = await context.sql.transaction((tx) =>
    updatePasswordHash(tx, { accountId, from, to }),
  );
  return renewed ? to : from;
}
