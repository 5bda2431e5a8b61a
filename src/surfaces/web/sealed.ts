import { randomBytes } from 'node:crypto';
import { deriveKey, IV_BYTES, openText, sealText } from '../../base/crypto/seal.ts';

/** Encrypts and authenticates content that a browser stores for a while. */
export interface Seal<T> {
  /** @param expiresAt ISO 8601 */
  seal(content: T, expiresAt: string): string;
  /**
   * Returns the content, or `undefined` if it was sealed with another key or has expired.
   *
   * @param now ISO 8601
   */
  open(text: string, now: string): T | undefined;
}

/**
 * Creates a seal whose key is derived from the secret and the purpose.
 *
 * @param secret the same in every process of the service that opens the content
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
