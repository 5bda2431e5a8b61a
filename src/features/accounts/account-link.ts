import { isMacOf, macOf } from '../../base/crypto/mac.ts';
import { deriveKey } from '../../base/crypto/seal.ts';

/** How long a link that verifies an email address works. */
export const VERIFY_WITHIN_MS = 24 * 60 * 60_000;

/** How long a link to a new password works, by mail and from the command line. */
export const RESET_WITHIN_MS = 60 * 60_000;
export const RESET_BY_OPERATOR_WITHIN_MS = 24 * 60 * 60_000;

/** What the owner of an account can do with a link, without signing in. */
export type LinkPurpose = 'verify-email' | 'reset-password';

/** What a link says. It works only as long as what it was made for still holds. */
export interface AccountLink {
  accountId: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** Tells whether the token was made for this, such as the account's address. */
  isFor(state: string): boolean;
}

/**
 * Returns the token of a link: the account, the expiry, and an HMAC of both and the account's state.
 * Nothing is stored: once the state has changed, as by using the link, the token is invalid.
 *
 * @param link.state what must not have changed until the link is used
 * @param secret shared by all processes
 */
export function accountLinkToken(
  purpose: LinkPurpose,
  { accountId, state, expiresAt }: { accountId: string; state: string; expiresAt: number },
  secret: string,
): string {
  const claim = `${expiresAt}.${accountId}`;
  return `${claim}.${macOf(`${claim}.${state}`, deriveKey(secret, purpose))}`;
}

/** Parses a token; `undefined` if it is malformed. The caller checks the state and the time. */
export function readAccountLink(
  purpose: LinkPurpose,
  token: string,
  secrets: readonly string[],
): AccountLink | undefined {
  const [, claim, expiresAt, accountId, mac] =
    /^((\d{1,15})\.([0-9a-f-]{36}))\.([\w-]{43})$/.exec(token) ?? [];
  if (!claim || !accountId || !mac) return undefined;
  return {
    accountId,
    expiresAt: Number(expiresAt),
    isFor: (state) =>
      secrets.some((secret) => isMacOf(mac, `${claim}.${state}`, deriveKey(secret, purpose))),
  };
}
