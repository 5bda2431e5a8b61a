import { FieldError, ServiceError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import { confirmationBudget, countAttempt, forgiveAttempt } from '../../core/identity/attempts.ts';
import { addDevice, findDevice } from '../../core/identity/device.ts';
import { deleteAccountGrants } from '../../core/identity/grant-store.ts';
import { hashPassword, verifyPassword } from '../../core/identity/password.ts';
import { normalisePassword, passwordFault } from '../../core/identity/password-rules.ts';
import { findWaysIn } from '../../core/identity/second-factor-store.ts';
import { deleteSessions } from '../../core/identity/session-store.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { findPasswordById, type PasswordRow, updatePasswordHash } from './password-store.ts';

/** What others know about the password's owner. */
interface Owner {
  username: string;
  email: string;
}

const BREACHED =
  'this password is in a list of passwords that were stolen elsewhere. Choose another.';

/**
 * Hashes a new password if it is acceptable.
 *
 * @throws UNPROCESSABLE naming `password`; BackEndUnavailable
 */
export async function hashNewPassword(
  context: Context,
  password: string,
  owner: Owner,
): Promise<string> {
  await requireFitPassword(context, password, owner);
  return hashPassword(password);
}

/** Returns what everybody knows of the server. */
function namesOf({ instanceName, webUrl }: Context): string[] {
  return ['Briefs', instanceName, new URL(webUrl).hostname];
}

/** @throws UNPROCESSABLE naming `password` */
export async function requireFitPassword(
  context: Context,
  password: string,
  { username, email }: Owner,
): Promise<void> {
  const normalised = normalisePassword(password);
  const known = [username.trim(), email.trim(), ...namesOf(context)];
  const fault =
    (await passwordFault(normalised, known)) ??
    (normalised !== undefined && (await context.isBreached(normalised)) ? BREACHED : undefined);
  if (fault) throw new FieldError('UNPROCESSABLE', 'password', fault);
}

/** Tells whether the actor has a password that the server accepts. */
export async function hasPassword(call: Call): Promise<boolean> {
  if (call.signIn.passwords === 'off') return false;
  return (await requireOwnPassword(call)).passwordHash !== null;
}

/**
 * Tells whether the actor's password alone proves who they are: not for those who have a second factor,
 * which proves it then.
 */
export async function provesByPassword(call: Call): Promise<boolean> {
  const account = await findWaysIn(call.sql.read, call.actor.id);
  return account?.secondFactorAt === null && hasPassword(call);
}

/**
 * Changes the actor's password, or sets a first one, and ends all the actor's other sessions.
 *
 * @param input.current the current password; ignored if there is none
 * @param input.devices what the browser stored at earlier sign-ins
 * @returns for the browser to store (see {@link addDevice}); its old device token is void
 * @throws UNPROCESSABLE naming `current` or `password`; TooManyAttempts; NOT_FOUND if the
 *   account is gone; BackEndUnavailable
 */
export async function changePassword(
  call: Call,
  limiter: RateLimiter,
  input: {
    current: string;
    password: string;
    sessionId: string;
    devices: string | undefined;
  },
): Promise<string> {
  const { actor } = call;
  const account = await confirmPassword(call, limiter, input.current, 'current');
  const from = account.passwordHash;
  const to = await hashNewPassword(call, input.password, account);
  await call.sql.transaction(async (tx) => {
    if (!(await updatePasswordHash(tx, { accountId: actor.id, from, to }))) {
      throw new FieldError(
        'UNPROCESSABLE',
        'current',
        'your password was changed in the meantime. Enter the new one.',
      );
    }
    await queueSecurityNotice(call, tx, actor.id, { what: 'password' });
    await deleteSessions(tx, actor.id, input.sessionId);
    await audit(call, tx, { action: 'password.set', actor });
  });
  const { id: accountId } = actor;
  const old = findDevice(input.devices, { accountId, key: from ?? '' });
  return addDevice(input.devices, { accountId, key: to }, old);
}

/**
 * Checks the actor's password, if they have one, before a dangerous action: someone else may use
 * their signed-in browser. Failed attempts are limited.
 *
 * @param field the caller's field name for the password, for messages
 * @throws UNPROCESSABLE naming `field`; TooManyAttempts; NOT_FOUND; BackEndUnavailable
 */
export async function confirmPassword(
  call: Call,
  limiter: RateLimiter,
  password: string,
  field: string,
): Promise<PasswordRow> {
  const account = await requireOwnPassword(call);
  if (account.passwordHash === null || call.signIn.passwords === 'off') return account;
  if (password === '') throw new FieldError('UNPROCESSABLE', field, 'enter your password.');
  const budgets = [confirmationBudget(call.actor.id)];
  await countAttempt(limiter, budgets);
  if (!(await verifyPassword(password, account.passwordHash))) {
    throw new FieldError('UNPROCESSABLE', field, 'wrong password.');
  }
  await forgiveAttempt(limiter, budgets);
  return account;
}

/**
 * Sets a user's password without asking for the current one. Ends all their sessions and
 * disconnects all applications, because someone who knew the old password may have added them.
 *
 * @throws NOT_FOUND, UNPROCESSABLE naming `password`, BackEndUnavailable
 */
export async function setPassword(
  context: Context,
  username: string,
  password: string,
): Promise<void> {
  const account = await requireAccount(context.sql.read, username);
  const to = await hashNewPassword(context, password, account);
  await context.sql.transaction(async (tx) => {
    if (!(await updatePasswordHash(tx, { accountId: account.id, to }))) {
      throw new FieldError('NOT_FOUND', 'username', `no user “${username}”.`);
    }
    await queueSecurityNotice(context, tx, account.id, { what: 'password' }, { byOperator: true });
    await deleteSessions(tx, account.id);
    await deleteAccountGrants(tx, account.id);
    await audit(context, tx, {
      action: 'password.set',
      accountId: account.id,
      subject: account.username,
    });
  });
}

async function requireOwnPassword(call: Call): Promise<PasswordRow> {
  const row = await findPasswordById(call.sql.read, call.actor.id);
  if (!row) throw new ServiceError('NOT_FOUND', 'This account no longer exists.');
  return row;
}
