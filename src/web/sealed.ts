import { randomBytes } from 'node:crypto';
import { deriveKey, IV_BYTES, openText, sealText } from '../crypto/seal.ts';

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
 * Seals under a key for one purpose.
 *
 * @param secret what all processes of the service know, and no visitor
 */
export function createSeal<T>(secret: string, purpose: string): Seal<T> {
  const key = deriveKey(secret, purpose);
  return {
    seal(content, expiresAt) {
      return sealText(JSON.stringify({ content, expiresAt }), key, randomBytes(IV_BYTES));
    },
    open(text, now) {
      const opened = openText(text, key);
      if (opened === undefined) return undefined;
      const { content, expiresAt } = JSON.parse(opened);
      return expiresAt > now ? content : undefined;
    },
  };
}
