import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const TAG_BYTES = 16;

/** Random bytes that sealing one text takes. */
export const IV_BYTES = 12;

/** A key for one purpose, so that none serves two (RFC 5869). */
export function deriveKey(secret: string | Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `briefs ${purpose}`, KEY_BYTES));
}

/**
 * Seals a text with AES-256-GCM, so that nobody without the key can read or make it.
 *
 * @param iv {@link IV_BYTES} random bytes
 * @returns base64url of the IV, what is sealed, and the tag
 */
export function sealText(text: string, key: Uint8Array, iv: Uint8Array): string {
  const cipher = createCipheriv(ALGORITHM, key, iv);
  const sealed = [iv, cipher.update(text), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

/** The text that was sealed; `undefined` when it was not sealed with this key. */
export function openText(sealed: string, key: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8');
    return text + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
