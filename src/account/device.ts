import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const NONCE_BYTES = 16;

/**
 * Writes the device token a browser stores at sign-in. A browser that has one isn't blocked by
 * strangers' failed sign-ins. It is signed with the account's password hash, so a new password
 * voids it.
 */
export function writeDevice(accountId: string, passwordHash: string): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${nonce}.${sign(nonce, accountId, passwordHash).toString('base64url')}`;
}

/**
 * Verifies a device token. Returns `undefined` if the account was never signed in to from this
 * browser.
 *
 * @param passwordHash of the account; `''` if there is none, which takes the same time
 */
export function readDevice(
  text: string,
  accountId: string,
  passwordHash: string,
): string | undefined {
  const [nonce = '', signature = ''] = text.split('.');
  const given = Buffer.from(signature, 'base64url');
  const own = sign(nonce, accountId, passwordHash);
  const genuine = given.length === own.length && timingSafeEqual(given, own);
  return genuine && passwordHash !== '' ? nonce : undefined;
}

function sign(nonce: string, accountId: string, passwordHash: string): Buffer {
  return createHmac('sha256', passwordHash).update(`device ${accountId} ${nonce}`).digest();
}
