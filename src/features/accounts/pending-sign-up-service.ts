import { hash, randomBytes } from 'node:crypto';
import { deriveKey, IV_BYTES, openText, sealText } from '../../base/crypto/seal.ts';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { emailKey } from '../../base/text/email-address.ts';
import type { Context } from '../../core/context.ts';
import { addAccount } from '../../core/identity/account-service.ts';
import { isEmailUsed } from '../../core/identity/account-store.ts';
import { type Budget, countAttempt, forgiveAttempt } from '../../core/identity/attempts.ts';
import { addDevice } from '../../core/identity/device.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { listKeys } from '../../core/identity/key-store.ts';
import { hashPassword, verifyPassword } from '../../core/identity/password.ts';
import { passwordState, type SignedIn } from '../../core/identity/session-service.ts';
import { queuePlainNotice } from '../../core/outbox/plain-notice.ts';
import { requireSignUpFields } from './registration-service.ts';

/** How long the link works. */
const WITHIN_MS = 24 * 60 * 60_000;

const PURPOSE = 'pending sign-up';

/** What the mailed link contains, sealed. Nothing is stored before it is opened. */
interface PendingSignUp {
  username: string;
  email: string;
  passwordHash: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Returns the path of the link that creates the account. */
export function confirmPath(token: string): string {
  return `/sign-up/confirm/${token}`;
}

/**
 * Mails a link that creates an account, where an account needs a verified address from the start. If
 * somebody has an account with the address, nothing is mailed, and the answer is the same.
 *
 * @throws errors of {@link requireSignUpFields}; TooManyAttempts; BackEndUnavailable
 */
export async function requestSignUp(
  context: Context,
  limits: { limiter: RateLimiter; budgets: Budget[] },
  input: { username: string; email: string; password: string },
): Promise<void> {
  await countAttempt(limits.limiter, limits.budgets);
  const email = await requireSignUpFields(context, input);
  const mailed: Budget = ['verificationMail', `address:${hash('sha256', emailKey(email))}`];
  await countAttempt(limits.limiter, [mailed]);
  const passwordHash = await hashPassword(input.password);
  const expiresAt = Date.parse(context.now()) + WITHIN_MS;
  const pending: PendingSignUp = { username: input.username, email, passwordHash, expiresAt };
  const [secret = ''] = (await loadAuthorizationKeys(context)).cookie;
  const iv = randomBytes(IV_BYTES);
  const token = sealText(JSON.stringify(pending), deriveKey(secret, PURPOSE), iv);
  await context.sql.transaction(async (tx) => {
    if (await isEmailUsed(tx, email)) return;
    await queuePlainNotice(context, tx, {
      username: '',
      address: email,
      subject: 'Create your account',
      says: [
        `Somebody, probably you, wants to create the account ${input.username} at ${context.webUrl} with this address. The link creates it. It works for a day.`,
      ],
      link: { label: 'Create the account', path: confirmPath(token) },
      reason: 'If it wasn’t you, ignore this mail: without the link, there is no account.',
    });
  });
}

/** Reads a mailed link; `undefined` if it was changed or has expired. */
export async function readPendingSignUp(
  context: Context,
  token: string,
): Promise<PendingSignUp | undefined> {
  for (const { secret } of await listKeys(context.sql.read, 'cookie')) {
    const text = openText(token, deriveKey(secret, PURPOSE));
    if (text === undefined) continue;
    const pending = JSON.parse(text) as PendingSignUp;
    return pending.expiresAt > Date.parse(context.now()) ? pending : undefined;
  }
  return undefined;
}

/**
 * Creates the account of a mailed link, with a verified address. It takes the password that was
 * chosen at sign-up: otherwise a stranger could sign up with somebody's address, wait until they open
 * the link, and know the password of their account.
 *
 * @throws UNPROCESSABLE if the link no longer works, or the username or the address is taken by now,
 *   or naming `password` if it is another; TooManyAttempts; BackEndUnavailable
 */
export async function confirmSignUp(
  context: Context,
  limits: { limiter: RateLimiter; budgets: Budget[] },
  input: { token: string; password: string; devices: string | undefined },
): Promise<SignedIn> {
  const { token, devices } = input;
  const pending = await readPendingSignUp(context, token);
  if (!pending) throw new ServiceError('UNPROCESSABLE', 'This link has expired. Sign up again.');
  await countAttempt(limits.limiter, limits.budgets);
  if (!(await verifyPassword(input.password, pending.passwordHash))) {
    throw new FieldError('UNPROCESSABLE', 'password', 'not the one that was chosen at sign-up.');
  }
  await forgiveAttempt(limits.limiter, limits.budgets);
  const { username, email, passwordHash } = pending;
  const { id: accountId } = await context.sql.transaction((tx) =>
    addAccount(context, tx, { username, email, passwordHash, isEmailVerified: true }),
  );
  const device = addDevice(devices, { accountId, key: passwordHash });
  const password = passwordState(passwordHash);
  return { accountId, factors: ['mailed link', 'password'], password, device, isNewBrowser: false };
}
