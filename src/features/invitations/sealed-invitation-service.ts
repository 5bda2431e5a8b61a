import { randomBytes } from 'node:crypto';
import { deriveKey, IV_BYTES, openText, sealText } from '../../base/crypto/seal.ts';
import type { Context } from '../../core/context.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { listKeys } from '../../core/identity/key-store.ts';

const PURPOSE = 'mailed invitation';

/**
 * Seals the token of an invitation's link. The queue holds it until the mail is sent; after that,
 * only its hash is stored.
 */
export async function sealInvitationToken(context: Context, token: string): Promise<string> {
  const [secret] = (await loadAuthorizationKeys(context)).cookie as [string];
  return sealText(token, deriveKey(secret, PURPOSE), randomBytes(IV_BYTES));
}

/** Opens a sealed token; `undefined` if the key was rotated twice since. */
export async function openInvitationToken(
  context: Context,
  sealed: string,
): Promise<string | undefined> {
  for (const { secret } of await listKeys(context.sql.read, 'cookie')) {
    const token = openText(sealed, deriveKey(secret, PURPOSE));
    if (token !== undefined) return token;
  }
  return undefined;
}
