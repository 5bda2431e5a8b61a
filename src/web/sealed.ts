import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Makes text that only this service can make or read, for a browser to keep for a while. */
export interface Seal<T> {
  /** @param expiresAt ISO 8601 */
  seal(content: T, expiresAt: string): string;
  /**
   * What was sealed; `undefined` when it was not sealed here, for this purpose, or is too old.
   *
   * @param now ISO 8601
   */
  open(text: string, now: string): T | undefined;
}

/**
 * Seals with AES-256-GCM under a key for one purpose.
 *
 * @param secret what all processes of the service know, and no visitor
 */
export function createSeal<T>(secret: string, purpose: string): Seal<T> {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `briefs ${purpose}`, 32));
  return {
    seal(content, expiresAt) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv);
      const text = JSON.stringify({ content, expiresAt });
      const parts = [iv, cipher.update(text), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(parts).toString('base64url');
    },
    open(text, now) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const opened = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
        const { content, expiresAt } = JSON.parse(Buffer.concat(opened).toString());
        return expiresAt > now ? content : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
