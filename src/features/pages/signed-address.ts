import ms from 'ms';
import { isMacOf, macOf } from '../../base/crypto/mac.ts';
import { deriveKey, openText, sealText } from '../../base/crypto/seal.ts';

/** How long a signed address works (specification, part "Pages"). */
export const SIGNED_ADDRESS_LIFETIME_MS = ms('10m');

/** The same lifetime as text, such as "10 minutes". */
export const SIGNED_ADDRESS_LIFETIME = ms(SIGNED_ADDRESS_LIFETIME_MS, { long: true });

export interface Grant {
  pageId: string;
  version: number;
  /** Whether it is for an old text; then it still works after the page has changed. */
  isOld: boolean;
  /** Whether it is for the frame beside comments, which contains our script. */
  isReview: boolean;
  /** Whether it shows what is being typed, too; then it also works after the page has changed. */
  isTyped: boolean;
  /** The id of the user or secret link that it grants access for. */
  viewerId: string;
  /** The id of the user's token or of an application's grant, if one asked for the address. */
  credentialId?: string | undefined;
  /** In seconds since 1970. */
  expiresAt: number;
}

const PATH =
  /^\/s\/([0-9a-f-]{36})\/(revisions\/)?([1-9]\d{0,9})\?exp=([1-9]\d{9})&for=([\w-]{86}|[\w-]{135})(&review=1)?(&typed=1)?&sig=([\w-]{43})$/;

/**
 * Writes a grant as path and query. Page, version and expiry are readable. The viewer is encrypted,
 * because the page can read its own address and mustn't learn who views it. An HMAC-SHA-256 covers
 * all of them and the host.
 *
 * @param host the origin that the address is for
 * @param iv random bytes for {@link sealText}
 */
export function signAddress(
  grant: Grant,
  host: string,
  secret: Uint8Array,
  iv: Uint8Array,
): string {
  const { viewerId, credentialId } = grant;
  const holder = credentialId === undefined ? viewerId : `${viewerId} ${credentialId}`;
  const viewer = sealText(holder, sealingKey(secret), iv);
  const version = `${grant.isOld ? 'revisions/' : ''}${grant.version}`;
  const review = grant.isReview ? '&review=1' : '';
  const typed = grant.isTyped ? '&typed=1' : '';
  const query = `exp=${grant.expiresAt}&for=${viewer}${review}${typed}`;
  const open = `/s/${grant.pageId}/${version}?${query}`;
  return `${open}&sig=${macOf(host + open, signingKey(secret))}`;
}

/**
 * Parses and verifies a signed address; `undefined` if it is malformed, changed in any way, or
 * expired at `now` (seconds since 1970).
 *
 * @param secrets keys that may have signed it
 */
export function verifyAddress(
  target: string,
  host: string,
  secrets: readonly Uint8Array[],
  now: number,
): Grant | undefined {
  const [, pageId = '', old, version, expiry, viewer = '', review, typed, signature = ''] =
    PATH.exec(target) ?? [];
  if (Number(expiry ?? 0) <= now) return undefined;
  const signed = host + target.slice(0, target.lastIndexOf('&sig='));
  const secret = secrets.find((each) => isMacOf(signature, signed, signingKey(each)));
  if (!secret) return undefined;
  const holder = openText(viewer, sealingKey(secret));
  if (holder === undefined) return undefined;
  const [viewerId = '', credentialId] = holder.split(' ');
  const is = {
    isOld: old !== undefined,
    isReview: review !== undefined,
    isTyped: typed !== undefined,
  };
  return {
    pageId,
    version: Number(version),
    ...is,
    viewerId,
    credentialId,
    expiresAt: Number(expiry),
  };
}

function signingKey(secret: Uint8Array): Uint8Array {
  return deriveKey(secret, 'page address: sign');
}

function sealingKey(secret: Uint8Array): Uint8Array {
  return deriveKey(secret, 'page address: seal');
}
