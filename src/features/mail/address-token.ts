import { hash } from 'node:crypto';
import { isMacOf, macOf } from '../../base/crypto/mac.ts';
import { deriveKey } from '../../base/crypto/seal.ts';

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
  return `${addressHash}.${macOf(addressHash, keyOf(secret))}`;
}

/** Returns the hash in a token; `undefined` unless it was signed with one of the secrets. */
export function readAddressToken(token: string, secrets: readonly string[]): string | undefined {
  const [, addressHash, mac] = /^([0-9a-f]{64})\.([\w-]{43})$/.exec(token) ?? [];
  if (addressHash === undefined || mac === undefined) return undefined;
  const isGenuine = secrets.some((secret) => isMacOf(mac, addressHash, keyOf(secret)));
  return isGenuine ? addressHash : undefined;
}

function keyOf(secret: string): Uint8Array {
  return deriveKey(secret, 'unsubscribe-address');
}
