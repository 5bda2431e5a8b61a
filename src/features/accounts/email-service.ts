import { FieldError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { emailKey } from '../../base/text/email-address.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call } from '../../core/context.ts';
import { requireEmail } from '../../core/identity/account-service.ts';
import { updateEmail } from '../../core/identity/account-store.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { requireAllowedAddress } from '../../core/identity/sign-up-rules.ts';
import { queueSecurityNotice, queueVerificationMail } from '../../core/outbox/queue-service.ts';
import { confirmPassword } from './password-service.ts';

/**
 * Changes the actor's email address, and tells the old one if it was verified. Every attempt counts, because the result tells whether someone
 * has an account with the address.
 *
 * @param input.current the password; ignored if the account has none
 * @returns the address as stored
 * @throws BAD_REQUEST naming `email`; UNPROCESSABLE naming `email` if another account has it, or
 *   naming `current`; TooManyAttempts; NOT_FOUND if the account is gone; BackEndUnavailable
 */
export async function changeEmail(
  call: Call,
  limiter: RateLimiter,
  input: { email: string; current: string },
): Promise<string> {
  const { actor } = call;
  await countAttempt(limiter, [['changeEmail', actor.id]]);
  const email = requireEmail(input.email);
  requireAllowedAddress(call, email);
  const { email: from } = await confirmPassword(call, limiter, input.current, 'current');
  await call.sql.transaction(async (tx) => {
    if (emailKey(from) !== emailKey(email)) {
      await queueSecurityNotice(call, tx, actor.id, { what: 'email' });
    }
    if (!(await updateEmail(tx, actor.id, email))) throw isTaken();
    await queueVerificationMail(call, tx, actor.id);
    await audit(call, tx, { action: 'account.email_changed', actor });
  });
  return email;
}

function isTaken(): FieldError {
  return new FieldError('UNPROCESSABLE', 'email', 'another account uses this email address.');
}
