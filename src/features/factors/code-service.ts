import { generateSecret, generateURI, verifySync } from 'otplib';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { audit } from '../../core/audit/audit.ts';
import { bestEffortWrite } from '../../core/best-effort-write.ts';
import type { Call, Context } from '../../core/context.ts';
import { requireExistingAccount } from '../../core/identity/account-service.ts';
import { countAttempt, forgiveAttempt, secondFactorBudget } from '../../core/identity/attempts.ts';
import { openSecrets, sealSecret } from '../../core/identity/sealed-secret-service.ts';
import { lockWaysIn, updateSecondFactor } from '../../core/identity/second-factor-store.ts';
import type { Factor } from '../../core/identity/session-service.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { confirmPassword } from '../accounts/password-service.ts';
import {
  deleteCodeGenerator,
  findCodeGenerator,
  insertCodeGenerator,
  updateLastStep,
} from './factor-store.ts';
import { makeRecoveryCodesIfNone, useRecoveryCode } from './recovery-service.ts';
import { requireAnotherFactor } from './ways-in-service.ts';

/** How long a code is shown, and how much a clock may be wrong, in seconds (RFC 6238). */
const PERIOD_S = 30;

const SECRET_BYTES = 20;

/** Tells since when the actor has one-time codes; `undefined` if they are off. */
export async function findOwnCodes(call: Call): Promise<string | undefined> {
  return (await findCodeGenerator(call.sql.read, call.actor.id))?.createdAt;
}

/** Returns a new secret for an app that shows one-time codes, in base 32. Nothing is stored. */
export function newSecret(): string {
  return generateSecret({ length: SECRET_BYTES });
}

/** Returns the address that the app reads as a QR code (`otpauth://`). */
export function addressOf(context: Context, secret: string, username: string): string {
  return generateURI({ issuer: context.instanceName, label: username, secret, period: PERIOD_S });
}

/**
 * Turns one-time codes on with a code from the app, which shows that it works.
 *
 * @returns recovery codes, if the account had none: they are shown only once
 * @throws UNPROCESSABLE naming `code`, or if codes are on already; TooManyAttempts; UNAUTHORIZED if
 *   the account is gone
 */
export async function turnCodesOn(
  call: Call,
  limiter: RateLimiter,
  input: { secret: string; code: string },
): Promise<string[] | undefined> {
  const { actor } = call;
  const budgets = [secondFactorBudget(actor.id)];
  await countAttempt(limiter, budgets);
  const step = stepOf(call, input.secret, input.code);
  if (step === undefined) throw wrongCode();
  await forgiveAttempt(limiter, budgets);
  const sealedSecret = await sealSecret(call, 'one-time codes', input.secret);
  const now = call.now();
  return call.sql.transaction(async (tx) => {
    await lockWaysIn(tx, actor.id);
    await requireExistingAccount(tx, actor.id);
    const id = call.newId();
    const generator = { id, accountId: actor.id, sealedSecret, lastStep: step, createdAt: now };
    if (!(await insertCodeGenerator(tx, generator))) {
      throw new ServiceError('UNPROCESSABLE', 'One-time codes are on already.');
    }
    await updateSecondFactor(tx, actor.id, now);
    await queueSecurityNotice(call, tx, actor.id, { what: 'codes on' });
    await audit(call, tx, { action: 'codes.turned_on', actor });
    return makeRecoveryCodesIfNone(call, tx, actor.id);
  });
}

/**
 * Turns one-time codes off.
 *
 * @param input.password ignored if the account has none
 * @returns what was proved with
 * @throws UNPROCESSABLE naming `password` or `code`, or if the server requires a second factor and
 *   this is the last; TooManyAttempts; NOT_FOUND if the account is gone
 */
export async function turnCodesOff(
  call: Call,
  limiter: RateLimiter,
  input: { password: string; code: string },
): Promise<Factor[]> {
  const { actor } = call;
  const { passwordHash } = await confirmPassword(call, limiter, input.password, 'password');
  const isProof = passwordHash !== null && call.signIn.passwords === 'on';
  const factor = await checkCode(call, limiter, actor.id, input.code);
  await call.sql.transaction(async (tx) => {
    await lockWaysIn(tx, actor.id);
    if (!(await deleteCodeGenerator(tx, actor.id))) return;
    await requireAnotherFactor(call, tx, actor.id);
    await queueSecurityNotice(call, tx, actor.id, { what: 'codes off' });
    await audit(call, tx, { action: 'codes.turned_off', actor });
  });
  return isProof ? ['password', factor] : [factor];
}

/**
 * Checks a one-time code, or a recovery code, which is then used up. No code is accepted twice.
 *
 * @returns which of them it was
 * @throws UNPROCESSABLE naming `code`; TooManyAttempts
 */
export async function checkCode(
  context: Context,
  limiter: RateLimiter,
  accountId: string,
  code: string,
): Promise<'code' | 'recovery code'> {
  const budgets = [secondFactorBudget(accountId)];
  await countAttempt(limiter, budgets);
  const kind = isOneTime(code) ? ('code' as const) : ('recovery code' as const);
  const isRight =
    kind === 'code'
      ? await useOneTimeCode(context, accountId, code)
      : await useRecoveryCode(context, accountId, code.slice(0, 100));
  if (!isRight) {
    const failed = { action: 'second_factor.failed', accountId } as const;
    await bestEffortWrite(context, () =>
      context.sql.transaction((tx) => audit(context, tx, failed)),
    );
    throw wrongCode();
  }
  await forgiveAttempt(limiter, budgets);
  return kind;
}

async function useOneTimeCode(context: Context, accountId: string, code: string): Promise<boolean> {
  const generator = await findCodeGenerator(context.sql.read, accountId);
  if (!generator) return false;
  const [secret] = await openSecrets(context, 'one-time codes', [generator.sealedSecret]);
  const step = secret && stepOf(context, secret, code);
  if (!step) return false;
  return context.sql.transaction((tx) => updateLastStep(tx, generator.id, step));
}

/** Returns the time step that a code is of, one off at most; `undefined` if it is wrong. */
function stepOf(context: Context, secret: string, code: string): number | undefined {
  if (!isOneTime(code)) return undefined;
  const epoch = Math.floor(Date.parse(context.now()) / 1000);
  const token = code.replace(/\s/g, '');
  const options = { period: PERIOD_S, epochTolerance: PERIOD_S };
  const result = verifySync({ secret, token, epoch, ...options });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

function isOneTime(code: string): boolean {
  return /^\s*\d{3}\s?\d{3}\s*$/.test(code);
}

function wrongCode(): FieldError {
  return new FieldError('UNPROCESSABLE', 'code', 'wrong code, or one that was used. Try the next.');
}
