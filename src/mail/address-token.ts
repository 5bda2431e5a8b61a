import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../crypto/seal.ts';

/**
 * Returns the hash that identifies an address without an account. It doesn't reveal the address.
 */
export function addressHash(emailKey: string): string {
  return hash('sha256', emailKey);
}

/**
 * Returns the token of a link that stops invitations to an address: the address's hash and an HMAC
 * of it. It never expires, because mails are kept for years.
 *
 * @param secret one that all processes share
 */
export function addressToken(addressHash: string, secret: string): string {
  return `${addressHash}.${macOf(addressHash, secret).toString('base64url')}`;
}

/** Returns the hash in a token; `undefined` unless it was signed with one of the secrets. */
export function readAddressToken(token: string, secrets: readonly string[]): string | undefined {
  const [, addressHash, mac] = /^([0-9a-f]{64})\.([\w-]{43})$/.exec(token) ?? [];
  if (addressHash === undefined || mac === undefined) return undefined;
  const given = Buffer.from(mac, 'base64url');
  const isGenuine = secrets.some((secret) => {
    const expected = macOf(addressHash, secret);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isGenuine ? addressHash : undefined;
}

function macOf(addressHash: string, secret: string): Buffer {
  return createHmac('sha256', deriveKey(secret, 'unsubscribe-address'))
    .update(addressHash)
    .digest();
}
