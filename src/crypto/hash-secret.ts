import { hash } from 'node:crypto';

/**
 * What is kept of a secret that was made here, of a token or a code: its SHA-256 in hexadecimal. It
 * is random, so no salt is due.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}
