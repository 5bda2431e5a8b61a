import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const NONCE_BYTES = 16;

/**
 * What a browser keeps to show later that somebody has signed in with it before: so much of a
 * history that strangers' failures are not held against it. Signed with the hash of the account's
 * password, which nobody but the service has, and which ends what it signed when it changes.
 */
export function writeDevice(accountId: string, passwordHash: string): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${nonce}.${sign(nonce, accountId, passwordHash).toString('base64url')}`;
}

/**
 * Which browser this is, or `undefined` when nobody has signed in to the account with it.
 *
 * @param passwordHash of the account; `''` where there is none, which costs the same
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
