import { deleteAccountGrants } from '../authorization/grant-store.ts';
import type { Actor, Context } from '../context.ts';
import { FieldError, ServiceError } from '../errors.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import { requireAccount } from './account-service.ts';
import { confirmationBudget, countAttempt, forgiveAttempt } from './attempts.ts';
import { writeDevice } from './device.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { normalisePassword, passwordFault } from './password-rules.ts';
import { findPasswordById, type PasswordRow, updatePasswordHash } from './password-store.ts';
import { deleteSessions } from './session-store.ts';

/** Whose a password is to be, as others know them. */
interface Owner {
  username: string;
  email: string;
}

/**
 * Hashes a new password, if it is fit to be one.
 *
 * @throws UNPROCESSABLE naming `password`; BackEndUnavailable
 */
export async function hashNewPassword(password: string, owner: Owner): Promise<string> {
  requireFitPassword(password, owner);
  return hashPassword(password);
}

/** @throws UNPROCESSABLE naming `password` */
export function requireFitPassword(password: string, { username, email }: Owner): void {
  const fault = passwordFault(normalisePassword(password), [username.trim(), email.trim()]);
  if (fault) throw new ServiceError('UNPROCESSABLE', fault);
}

/** Whether the actor has a password. */
export async function hasPassword(context: Context, actor: Actor): Promise<boolean> {
  return (await requireOwnPassword(context, actor)).passwordHash !== null;
}

/**
 * Changes the actor's password, or gives them a first one, and ends all other sessions of theirs.
 *
 * @param input.current the password until now; not looked at where there is none
 * @returns what the browser keeps (see {@link writeDevice}): what it had is void now
 * @throws UNPROCESSABLE naming `current` or `password`; TooManyAttempts; BackEndUnavailable
 */
export async function changePassword(
  context: Context,
  limiter: RateLimiter,
  actor: Actor,
  input: { current: string; password: string; sessionId: string },
): Promise<string> {
  const account = await confirmPassword(context, limiter, actor, input.current, 'current');
  const from = account.passwordHash;
  const to = await hashNewPassword(input.password, account);
  await context.sql.transaction(async (tx) => {
    if (!(await updatePasswordHash(tx, { accountId: actor.id, from, to }))) {
      throw new FieldError('UNPROCESSABLE', 'current', 'the password has changed meanwhile.');
    }
    await deleteSessions(tx, actor.id, input.sessionId);
  });
  return writeDevice(actor.id, to);
}

/**
 * Has the actor show that they know their password, where they have one: whoever finds a browser
 * signed in may not do everything there, nor guess on without end.
 *
 * @param field the caller's name for the password, for messages
 * @throws UNPROCESSABLE naming `field`; TooManyAttempts; NOT_FOUND; BackEndUnavailable
 */
export async function confirmPassword(
  context: Context,
  limiter: RateLimiter,
  actor: Actor,
  password: string,
  field: string,
): Promise<PasswordRow> {
  const account = await requireOwnPassword(context, actor);
  if (account.passwordHash === null) return account;
  const budgets = [confirmationBudget(actor.id)];
  await countAttempt(limiter, budgets);
  if (!(await verifyPassword(password, account.passwordHash))) {
    throw new FieldError('UNPROCESSABLE', field, `this is not your password.`);
  }
  await forgiveAttempt(limiter, budgets);
  return account;
}

/**
 * Sets a user's password without asking for the one until now, and ends all their sessions and connected
 * applications: whoever knew the old one may have let something in.
 *
 * @throws NOT_FOUND, UNPROCESSABLE naming `password`
 */
export async function setPassword(
  context: Context,
  username: string,
  password: string,
): Promise<void> {
  const account = await requireAccount(context.sql.read, username);
  const to = await hashNewPassword(password, account);
  await context.sql.transaction(async (tx) => {
    if (!(await updatePasswordHash(tx, { accountId: account.id, to }))) {
      throw new FieldError('NOT_FOUND', 'username', 'no user has this name.');
    }
    await deleteSessions(tx, account.id);
    await deleteAccountGrants(tx, account.id);
  });
}

async function requireOwnPassword(context: Context, actor: Actor): Promise<PasswordRow> {
  const row = await findPasswordById(context.sql.read, actor.id);
  if (!row) throw new ServiceError('NOT_FOUND', 'This account no longer exists.');
  return row;
}
