import { createHmac, timingSafeEqual } from 'node:crypto';

/** Returns a text's HMAC-SHA-256 in base64url, proof that someone with the key wrote the text. */
export function macOf(text: string, key: string | Uint8Array): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Tells in constant time whether `mac` is what {@link macOf} returns for a text and a key. */
export function isMacOf(mac: string, text: string, key: string | Uint8Array): boolean {
  const given = Buffer.from(mac);
  const expected = Buffer.from(macOf(text, key));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
