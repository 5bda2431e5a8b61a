import { hash } from 'node:crypto';

/**
 * Hashes a generated secret, such as a token or code, for storage: SHA-256 in hexadecimal.
 * Generated secrets are random, so they need no salt.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}
