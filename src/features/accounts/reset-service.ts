import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import type { Context } from '../../core/context.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import {
  addressBudgets,
  countAttempt,
  forgetFailures,
  resetBudget,
} from '../../core/identity/attempts.ts';
import { deleteAccountGrants } from '../../core/identity/grant-store.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { listKeys } from '../../core/identity/key-store.ts';
import { deleteSessions } from '../../core/identity/session-store.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { accountLinkToken, RESET_BY_OPERATOR_WITHIN_MS, readAccountLink } from './account-link.ts';
import { hashNewPassword } from './password-service.ts';
import {
  findPasswordByEmail,
  findPasswordById,
  findPasswordByUsername,
  type PasswordRow,
  updatePasswordHash,
} from './password-store.ts';

/** How long a request takes at least, in ms, so that its time doesn't tell who has an account. */
const AT_LEAST_MS = 300;

/** What must not have changed until a link to a new password is used. */
export function resetState({ email, passwordHash }: Omit<PasswordRow, 'username'>): string {
  return `${email}\n${passwordHash ?? ''}`;
}

/**
 * Mails a link to a new password to the address of an account, if the name is that of one with a
 * verified address and a password. Whoever asks doesn't learn whether it is.
 *
 * @param request.name a username or an email address
 * @param request.address the IP address of who asks
 * @throws TooManyAttempts
 */
export async function requestReset(
  context: Context,
  limiter: RateLimiter,
  { name, address }: { name: string; address: string },
): Promise<void> {
  const typed = name.trim();
  await countAttempt(limiter, [...addressBudgets('signUp', address), resetBudget(typed)]);
  await Promise.all([queueReset(context, typed), delay(AT_LEAST_MS)]);
}

async function queueReset(context: Context, name: string): Promise<void> {
  const { read } = context.sql;
  const account = name.includes('@')
    ? await findPasswordByEmail(read, name)
    : await findPasswordByUsername(read, name.toLowerCase());
  if (!account?.passwordHash || account.disabledAt !== null) return;
  await context.sql.transaction((tx) =>
    queueSecurityNotice(context, tx, account.id, { what: 'reset' }),
  );
}

/**
 * Returns the address of a page where the user sets a new password. It works for a day, and once.
 *
 * @throws NOT_FOUND
 */
export async function resetLink(context: Context, username: string): Promise<string> {
  requirePasswords(context);
  const { id: accountId } = await requireAccount(context.sql.read, username);
  const account = (await findPasswordById(context.sql.read, accountId)) as PasswordRow;
  const [secret] = (await loadAuthorizationKeys(context)).cookie as [string];
  const expiresAt = Date.parse(context.now()) + RESET_BY_OPERATOR_WITHIN_MS;
  const link = { accountId, state: resetState(account), expiresAt };
  return `${context.webUrl}/sign-in/reset/${accountLinkToken('reset-password', link, secret)}`;
}

/** Requires that the server accepts passwords. @throws UNPROCESSABLE */
export function requirePasswords({ signIn }: Context): void {
  if (signIn.passwords === 'on') return;
  throw new ServiceError('UNPROCESSABLE', 'This server accepts no passwords (PASSWORDS=off).');
}

/** Finds the account whose password a link sets; `undefined` if the link no longer works. */
export async function findReset(
  context: Context,
  token: string,
  db: Reader = context.sql.read,
): Promise<PasswordRow | undefined> {
  const keys = await listKeys(db, 'cookie');
  const secrets = keys.map(({ secret }) => secret);
  const found = readAccountLink('reset-password', token, secrets);
  if (!found || found.expiresAt <= Date.parse(context.now())) return undefined;
  const account = await findPasswordById(db, found.accountId);
  const isUsable = account?.disabledAt === null && found.isFor(resetState(account));
  return isUsable ? account : undefined;
}

/**
 * Sets a new password with a link, and ends all sessions of the account.
 *
 * @param input.disconnects whether applications are disconnected, too
 * @returns the account; `undefined` if the link no longer works
 * @throws UNPROCESSABLE naming `password`; BackEndUnavailable
 */
export async function resetPassword(
  context: Context,
  limiter: RateLimiter,
  input: { token: string; password: string; disconnects: boolean },
): Promise<PasswordRow | undefined> {
  const found = await findReset(context, input.token);
  if (!found) return undefined;
  const to = await hashNewPassword(context, input.password, found);
  const from = found.passwordHash;
  const isSet = await context.sql.transaction(async (tx) => {
    const account = await findReset(context, input.token, tx);
    if (!account || !(await updatePasswordHash(tx, { accountId: account.id, from, to }))) {
      return false;
    }
    await queueSecurityNotice(context, tx, account.id, { what: 'password' });
    await deleteSessions(tx, account.id);
    if (input.disconnects) await deleteAccountGrants(tx, account.id);
    return true;
  });
  if (!isSet) return undefined;
  // Someone who has failed too often to remember it can sign in at once.
  await forgetFailures(limiter, found).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
  return found;
}
