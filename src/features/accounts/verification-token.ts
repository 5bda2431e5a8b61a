import { isMacOf, macOf } from '../../base/crypto/mac.ts';
import { deriveKey } from '../../base/crypto/seal.ts';

/** How long a link that verifies an email address works. */
export const VERIFY_WITHIN_MS = 24 * 60 * 60_000;

/** What a link verifies, if the account still has the address that the link was sent to. */
export interface Verification {
  accountId: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** Tells whether the token was made for this address. */
  isFor(email: string): boolean;
}

/**
 * Returns the token of a link that verifies an address: the account, the expiry, and an HMAC of
 * both and the address. Nothing is stored: once the address is verified or changed, the token is
 * invalid.
 *
 * @param secret shared by all processes
 */
export function verificationToken(
  { accountId, email, expiresAt }: { accountId: string; email: string; expiresAt: number },
  secret: string,
): string {
  const claim = `${expiresAt}.${accountId}`;
  return `${claim}.${macOf(`${claim}.${email}`, keyOf(secret))}`;
}

/** Parses a token; `undefined` if it is malformed. The caller checks the address and the time. */
export function readVerificationToken(
  token: string,
  secrets: readonly string[],
): Verification | undefined {
  const [, claim, expiresAt, accountId, mac] =
    /^((\d{1,15})\.([0-9a-f-]{36}))\.([\w-]{43})$/.exec(token) ?? [];
  if (!claim || !accountId || !mac) return undefined;
  return {
    accountId,
    expiresAt: Number(expiresAt),
    isFor: (email) => secrets.some((secret) => isMacOf(mac, `${claim}.${email}`, keyOf(secret))),
  };
}

function keyOf(secret: string): Uint8Array {
  return deriveKey(secret, 'verify-email');
}
