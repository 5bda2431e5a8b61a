import { isMacOf, macOf } from '../../base/crypto/mac.ts';
import { deriveKey } from '../../base/crypto/seal.ts';

/**
 * Returns what signs the library's cookies, with HMAC-SHA-256. With the keys alone it would use SHA-1.
 *
 * @param secrets the first signs, all are accepted
 */
export function createCookieKeys(secrets: readonly string[]) {
  const keys = secrets.map((secret) => deriveKey(secret, 'authorization cookie'));
  const index = (text: string, mac: string) => keys.findIndex((key) => isMacOf(mac, text, key));
  return {
    sign: (text: string) => macOf(text, keys[0] as Uint8Array),
    /** @returns which key signed the text; -1 if none did */
    index,
    verify: (text: string, mac: string) => index(text, mac) >= 0,
  };
}
