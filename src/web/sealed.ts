import { randomBytes } from 'node:crypto';
import { deriveKey, IV_BYTES, openText, sealText } from '../crypto/seal.ts';

/** Encrypts and signs text that a browser stores for a while. */
export interface Seal<T> {
  /** @param expiresAt ISO 8601 */
  seal(content: T, expiresAt: string): string;
  /**
   * Returns the content, or `undefined` if it was not sealed here for this purpose, or has expired.
   *
   * @param now ISO 8601
   */
  open(text: string, now: string): T | undefined;
}

/**
 * Creates a seal with a key for one purpose.
 *
 * @param secret a secret that all processes of the service share
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
