import { FieldError, InvalidFields, ServiceError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { emailKey } from '../../base/text/email-address.ts';
import type { Context } from '../../core/context.ts';
import { addAccount, requireEmail } from '../../core/identity/account-service.ts';
import { type Budget, countAttempt } from '../../core/identity/attempts.ts';
import { addDevice } from '../../core/identity/device.ts';
import { hashPassword } from '../../core/identity/password.ts';
import { passwordState, type SignedIn } from '../../core/identity/session-service.ts';
import { requireAllowedAddress } from '../../core/identity/sign-up-rules.ts';
import { queueVerificationMail } from '../../core/outbox/queue-service.ts';
import { requireNamespace } from '../../core/owner/namespace-service.ts';
import { findInvitedAddress } from '../invitations/answer-service.ts';
import { requireFitPassword } from './password-service.ts';
import { useSignUpInvitation } from './sign-up-invitation-service.ts';
import { deviceKey, type Identity } from './upstream-service.ts';
import { insertIdentity } from './upstream-store.ts';

/**
 * Checks what a visitor signs up with.
 *
 * @returns the parsed address
 * @throws InvalidFields
 */
export async function requireSignUpFields(
  context: Context,
  { username, email, password }: { username: string; email: string; password: string },
  { isInvited = false }: { isInvited?: boolean } = {},
): Promise<string> {
  await refuseAll([
    () => requireNamespace(context, username, 'username'),
    () => requireAllowedAddress(context, requireEmail(email), { isInvited }),
    () => requireFitPassword(context, password, { username, email }),
  ]);
  return requireEmail(email);
}

/**
 * Creates an account for a visitor.
 *
 * @param input.invitationToken of the mailed invitation that the visitor came by; if it was sent
 *   to their address, that counts as verified
 * @param input.onlyInvited whether only the address of that invitation can have an account
 * @param limits.budgets what the attempt counts against, even if it fails: a failed one still
 *   costs work, or reveals which names are taken
 * @throws InvalidFields if something is malformed or always reserved; UNPROCESSABLE if something is
 *   taken, or the username is reserved after its owner was deleted; TooManyAttempts;
 *   BackEndUnavailable
 */
export async function signUp(
  context: Context,
  limits: { limiter: RateLimiter; budgets: Budget[] },
  input: {
    username: string;
    email: string;
    password: string;
    /** What the browser stored when it signed in to other accounts. */
    devices: string | undefined;
    invitationToken?: string | undefined;
    onlyInvited: boolean;
    /** Of an administrator's invitation, which is used up with the account. */
    signUpToken?: string | undefined;
  },
): Promise<SignedIn> {
  const { username, email, password, invitationToken: token } = input;
  await countAttempt(limits.limiter, limits.budgets);
  await requireSignUpFields(context, input, {
    isInvited: input.signUpToken !== undefined || input.invitationToken !== undefined,
  });
  const passwordHash = await hashPassword(password);
  const account = await context.sql.transaction(async (tx) => {
    const invited = token && (await findInvitedAddress(context, tx, token));
    const isByMail = invited ? emailKey(email.trim()) === emailKey(invited) : false;
    const { signUpToken } = input;
    const isProven =
      signUpToken !== undefined &&
      (await useSignUpInvitation(context, tx, { token: signUpToken, email: email.trim() }));
    if (input.onlyInvited && signUpToken === undefined && !isByMail) throw notInvited(invited);
    const isEmailVerified = isByMail || isProven;
    const account = { username, email, passwordHash, isEmailVerified };
    const added = await addAccount(context, tx, account);
    if (!isEmailVerified) await queueVerificationMail(context, tx, added.id);
    return added;
  });
  const owner = { accountId: account.id, key: passwordHash };
  return {
    accountId: account.id,
    factors: ['password'],
    password: passwordState(passwordHash),
    device: addDevice(input.devices, owner),
    isNewBrowser: false,
  };
}

/**
 * Creates an account for someone who signed in at an upstream provider. Issuer and subject identify
 * them; accounts are never linked by email address.
 *
 * @throws InvalidFields if something is malformed or always reserved; UNPROCESSABLE if something is
 *   taken, including the identity, or the username is reserved after its owner was deleted
 */
export async function signUpUpstream(
  context: Context,
  identity: Identity & { sid: string },
  input: {
    username: string;
    email: string;
    isEmailVerified: boolean;
    devices: string | undefined;
  },
): Promise<SignedIn> {
  const { username, email, isEmailVerified } = input;
  await refuseAll([
    () => requireNamespace(context, username, 'username'),
    // Whom the provider vouches for, it lets in.
    () => requireAllowedAddress(context, requireEmail(email), { isInvited: isEmailVerified }),
  ]);
  const accountId = await context.sql.transaction(async (tx) => {
    const { id, createdAt } = await addAccount(context, tx, input);
    if (!isEmailVerified) await queueVerificationMail(context, tx, id);
    const { issuer, subject } = identity;
    const link = { id: context.newId(), accountId: id, issuer, subject, createdAt };
    if (!(await insertIdentity(tx, link))) {
      throw new ServiceError('UNPROCESSABLE', 'You already have an account. Sign in again.');
    }
    return id;
  });
  const owner = { accountId, key: await deviceKey(context, null) };
  const device = addDevice(input.devices, owner);
  return {
    accountId,
    factors: ['provider'],
    password: passwordState(null),
    device,
    isNewBrowser: false,
    upstreamSid: identity.sid,
  };
}

function notInvited(invited: string | undefined): ServiceError {
  return invited
    ? new FieldError('UNPROCESSABLE', 'email', `must be the invited address, ${invited}.`)
    : new ServiceError('UNPROCESSABLE', 'This invitation is no longer pending.');
}

/** Runs all checks, so that a form shows all its errors at once. */
async function refuseAll(checks: (() => unknown)[]): Promise<void> {
  const errors: FieldError[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new InvalidFields(errors);
}
