import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { ServiceError } from '../../base/errors.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import { findWaysIn, lockWaysIn } from '../../core/identity/second-factor-store.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import {
  countRecoveryCodes,
  deleteRecoveryCodes,
  insertRecoveryCodes,
  updateRecoveryCodeUsed,
} from './factor-store.ts';

/** How many recovery codes somebody gets. */
export const RECOVERY_CODES = 10;

/** 120 bits: nobody finds a code from its hash, which needs no salt then. */
const CODE_LENGTH = 24;

/** Letters and digits that can't be mistaken for one another (Crockford's base 32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Counts the actor's recovery codes that can still be used. */
export async function countOwnRecoveryCodes(call: Call): Promise<number> {
  return countRecoveryCodes(call.sql.read, call.actor.id);
}

/**
 * Replaces the actor's recovery codes.
 *
 * @returns the new ones; only their hashes are stored
 * @throws UNPROCESSABLE if the account has no second factor
 */
export async function renewRecoveryCodes(call: Call): Promise<string[]> {
  const { actor } = call;
  return call.sql.transaction(async (tx) => {
    await lockWaysIn(tx, actor.id);
    const account = await findWaysIn(tx, actor.id);
    if (!account?.secondFactorAt) {
      throw new ServiceError('UNPROCESSABLE', 'Add a passkey or set up one-time codes first.');
    }
    await queueSecurityNotice(call, tx, actor.id, { what: 'recovery codes' });
    await audit(call, tx, { action: 'recovery_codes.made', actor });
    return makeRecoveryCodes(call, tx, actor.id);
  });
}

/** Makes the recovery codes of an account that has none left. @returns `undefined` if it has some */
export async function makeRecoveryCodesIfNone(
  context: Context,
  tx: Writer,
  accountId: string,
): Promise<string[] | undefined> {
  if ((await countRecoveryCodes(tx, accountId)) > 0) return undefined;
  return makeRecoveryCodes(context, tx, accountId);
}

async function makeRecoveryCodes(
  context: Context,
  tx: Writer,
  accountId: string,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, makeCode);
  await deleteRecoveryCodes(tx, accountId);
  const createdAt = context.now();
  await insertRecoveryCodes(
    tx,
    codes.map((code) => ({ id: context.newId(), accountId, codeHash: hashOf(code), createdAt })),
  );
  return codes;
}

/** Uses up a recovery code, and tells its owner; `false` if the account has no such code left. */
export async function useRecoveryCode(
  context: Context,
  accountId: string,
  code: string,
): Promise<boolean> {
  return context.sql.transaction(async (tx) => {
    const at = context.now();
    if (!(await updateRecoveryCodeUsed(tx, { accountId, hash: hashOf(code), at }))) return false;
    const left = await countRecoveryCodes(tx, accountId);
    await queueSecurityNotice(context, tx, accountId, { what: 'recovery code used', left });
    await audit(context, tx, { action: 'recovery_code.used', accountId, detail: { left } });
    return true;
  });
}

function makeCode(): string {
  const letters = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % 32]).join('');
  return (letters.match(/.{4}/g) as string[]).join('-');
}

/** Ignores case, spaces and hyphens, and reads letters that stand for digits. */
function hashOf(code: string): string {
  const typed = code.toLowerCase().replace(/[\s-]/g, '');
  return hashSecret(typed.replaceAll('o', '0').replace(/[il]/g, '1'));
}
