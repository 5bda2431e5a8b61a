import { randomBytes } from 'node:crypto';
import { deriveKey, IV_BYTES, openText, sealText } from '../../base/crypto/seal.ts';
import type { SealedPurpose } from './sealed-secret-store.ts';

/** Seals a secret with a key that is derived from one of the service's for the purpose. */
export function sealFor(purpose: SealedPurpose, secret: string, key: string): string {
  return sealText(secret, deriveKey(key, purpose), randomBytes(IV_BYTES));
}

/** Opens a sealed secret; `undefined` if it was sealed with none of these keys. */
export function openFor(
  purpose: SealedPurpose,
  sealed: string,
  keys: readonly string[],
): string | undefined {
  for (const key of keys) {
    const secret = openText(sealed, deriveKey(key, purpose));
    if (secret !== undefined) return secret;
  }
  return undefined;
}
