import { ServiceError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { audit } from '../../core/audit/audit.ts';
import { hasEntrySince } from '../../core/audit/audit-store.ts';
import { bestEffortWrite } from '../../core/best-effort-write.ts';
import { type Context, later } from '../../core/context.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import {
  countAttempt,
  forgetFailures,
  forgiveAttempt,
  nameKey,
  signInBudgets,
} from '../../core/identity/attempts.ts';
import { addDevice, findDevice } from '../../core/identity/device.ts';
import { hashPassword, isOutdated, verifyPassword } from '../../core/identity/password.ts';
import { passwordState, type SignedIn } from '../../core/identity/session-service.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { lockOwner } from '../../core/owner/owner-store.ts';
import {
  findPasswordByEmail,
  findPasswordByUsername,
  type PasswordRow,
  updatePasswordHash,
} from './password-store.ts';

/** An account's failed sign-ins have one entry of the audit trail in this time. */
const FAILURE_EVERY_MS = 60_000;

/**
 * Checks a username or email address with its password. Every failure has the same answer and costs
 * one query and one hash, whether or not the account exists.
 *
 * @param input.address the client's IP address
 * @param input.devices what the browser stored at earlier sign-ins
 * @throws UNAUTHORIZED if they don't match or the account is disabled; TooManyAttempts;
 *   BackEndUnavailable if too many passwords are being checked
 */
export async function signIn(
  context: Context,
  limiter: RateLimiter,
  input: { name: string; password: string; address: string; devices: string | undefined },
): Promise<SignedIn> {
  const name = nameKey(input.name.trim());
  const account = await findByName(context, name);
  const device = findDevice(input.devices, {
    accountId: account?.id ?? '',
    key: account?.passwordHash ?? '',
  });
  const budgets = signInBudgets({ name, address: input.address, device });
  await countAttempt(limiter, budgets);
  const matches = await verifyPassword(input.password, account?.passwordHash ?? null);
  if (!account?.passwordHash || !matches || account.disabledAt !== null) {
    // Not awaited: how long an answer takes must not tell whether there is an account.
    if (account) void recordFailure(context, account);
    throw new ServiceError('UNAUTHORIZED', 'Wrong username or password.');
  }
  await forgiveAttempt(limiter, budgets);
  const { id: accountId } = account;
  const key = await renewHash(context, accountId, account.passwordHash, input.password);
  return {
    accountId,
    factors: ['password'],
    password: passwordState(key),
    device: addDevice(input.devices, { accountId, key }, device),
    isNewBrowser: device === undefined,
  };
}

/**
 * Clears the failed sign-ins in a user's name, so that the user can sign in again. Anyone can cause
 * such failures. Failures counted by address stay.
 *
 * @param options.isRecorded whether the caller has told the audit trail
 * @returns the username
 * @throws NOT_FOUND; Error if the store of the counters does not answer
 */
export async function unlockAccount(
  context: Context,
  username: string,
  { isRecorded = false } = {},
): Promise<string> {
  const account = await requireAccount(context.sql.read, username);
  await forgetFailures(context.limiter, account);
  const { id: accountId, username: subject } = account;
  if (!isRecorded) {
    await context.sql.transaction((tx) =>
      audit(context, tx, { action: 'account.unlocked', accountId, subject }),
    );
  }
  return account.username;
}

/**
 * Writes an entry of the audit trail about a failed sign-in, unless there is one of the last minute.
 * Never fails, as nothing depends on it.
 */
async function recordFailure(context: Context, { id, username }: PasswordRow): Promise<void> {
  const action = 'session.failed';
  const since = later(context.now(), -FAILURE_EVERY_MS);
  const write = () =>
    context.sql.transaction(
      async (tx) => {
        if (await hasEntrySince(tx, { accountId: id, action, since })) return;
        await audit(context, tx, { action, accountId: id, subject: username });
      },
      { exclusive: { key: username, lock: (tx) => lockOwner(tx, username) } },
    );
  await bestEffortWrite(context, write).catch(() => {});
}

/** Always makes one query, even for a text that can't be a username. */
function findByName(context: Context, name: string): Promise<PasswordRow | undefined> {
  const { read } = context.sql;
  // Databases reject NUL; a space matches no one either.
  if (name.includes('@')) return findPasswordByEmail(read, name.replaceAll('\0', ' '));
  return findPasswordByUsername(read, parseNamespace(name) ?? '');
}

/** Hashes a password again if its hash has an old cost. Only sign-in knows the password. */
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
