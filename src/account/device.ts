import { randomBytes } from 'node:crypto';
import { isMacOf, macOf } from '../crypto/mac.ts';

const NONCE_BYTES = 16;

/**
 * Writes the device token a browser stores at sign-in. A browser that has one isn't blocked by
 * strangers' failed sign-ins. It is signed with the account's password hash, so a new password
 * voids it.
 */
export function writeDevice(accountId: string, passwordHash: string): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${nonce}.${macOf(signedText(accountId, nonce), passwordHash)}`;
}

/**
 * Verifies a device token.
 *
 * @param passwordHash of the account; `''` if there is none, which takes the same time
 * @returns what identifies the browser; `undefined` if it never signed in to the account, or the
 *   password has changed since
 */
export function readDevice(
  text: string,
  accountId: string,
  passwordHash: string,
): string | undefined {
  const [nonce = '', signature = ''] = text.split('.');
  const isGenuine = isMacOf(signature, signedText(accountId, nonce), passwordHash);
  return isGenuine && passwordHash !== '' ? nonce : undefined;
}

function signedText(accountId: string, nonce: string): string {
  return `device ${accountId} ${nonce}`;
}
