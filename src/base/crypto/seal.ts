import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const TAG_BYTES = 16;

/** The length of the random IV. */
export const IV_BYTES = 12;

/** Derives a separate 32-byte key for each purpose with HKDF (RFC 5869). */
export function deriveKey(secret: string | Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `briefs ${purpose}`, KEY_BYTES));
}

/**
 * Encrypts and authenticates a text with AES-256-GCM.
 *
 * @param iv {@link IV_BYTES} random bytes
 * @returns the IV, the ciphertext and the tag in base64url
 */
export function sealText(text: string, key: Uint8Array, iv: Uint8Array): string {
  const cipher = createCipheriv(ALGORITHM, key, iv);
  const sealed = [iv, cipher.update(text), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

/** Decrypts a sealed text; `undefined` if it was changed or not sealed with this key. */
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
