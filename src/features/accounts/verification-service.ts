import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import {
  type AccountRow,
  findAccountById,
  updateEmailVerified,
} from '../../core/identity/account-store.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { listKeys } from '../../core/identity/key-store.ts';
import { queueVerificationMail } from '../../core/outbox/queue-service.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { lockAccount } from './account-deletion-store.ts';
import { readAccountLink } from './account-link.ts';

/** Mails the actor a new link that verifies their address. @throws TooManyAttempts */
export async function sendVerificationAgain(call: Call, limiter: RateLimiter): Promise<void> {
  const { actor } = call;
  await countAttempt(limiter, [['verificationMail', actor.id]]);
  await call.sql.transaction(async (tx) => {
    await lockAccount(tx, actor.id);
    const account = await findAccountById(tx, actor.id);
    if (account?.emailVerifiedAt === null) await queueVerificationMail(call, tx, actor.id);
  });
}

/** Finds the account whose address a link verifies; `undefined` if the link no longer works. */
export async function findVerification(
  context: Context,
  token: string,
  db: Reader = context.sql.read,
): Promise<AccountRow | undefined> {
  const keys = await listKeys(db, 'cookie');
  const secrets = keys.map(({ secret }) => secret);
  const found = readAccountLink('verify-email', token, secrets);
  if (!found || found.expiresAt <= Date.parse(context.now())) return undefined;
  const account = await findAccountById(db, found.accountId);
  const isUsable = account?.emailVerifiedAt === null && found.isFor(account.email);
  return isUsable ? account : undefined;
}

/** Marks an address as verified. @returns the account; `undefined` if the link no longer works */
export async function verifyEmail(
  context: Context,
  token: string,
): Promise<AccountRow | undefined> {
  return context.sql.transaction(async (tx) => {
    const account = await findVerification(context, token, tx);
    if (!account) return undefined;
    const { id, email } = account;
    const isVerified = await updateEmailVerified(tx, { id, email, at: context.now() });
    if (!isVerified) return undefined;
    await audit(context, tx, {
      action: 'account.email_verified',
      accountId: id,
      subject: account.username,
    });
    return account;
  });
}
