import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';

/** What a signed address of a page stands for. */
export interface Grant {
  pageId: string;
  version: number;
  /** Whose access it lends: a user's id. */
  viewerId: string;
  /** Until when, in seconds since 1970. */
  expiresAt: number;
}

const PATH =
  /^\/s\/([0-9a-f-]{36})\/([1-9]\d{0,9})\?exp=([1-9]\d{9})&for=([\w-]{86})&sig=([\w-]{43})$/;

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Writes the path and query that stand for a grant: page, version and expiry in the open, whose
 * access it is sealed (AES-256-GCM), since the page can read its own address and has no business
 * knowing who looks at it; over all of them and the host an HMAC-SHA-256.
 *
 * @param host the origin that the address is for
 * @param iv 12 random bytes
 */
export function signAddress(
  grant: Grant,
  host: string,
  secret: Uint8Array,
  iv: Uint8Array,
): string {
  const viewer = seal(grant.viewerId, secret, iv);
  const open = `/s/${grant.pageId}/${grant.version}?exp=${grant.expiresAt}&for=${viewer}`;
  return `${open}&sig=${mac(host + open, secret)}`;
}

/**
 * The grant that a path and query stand for, to the letter; `undefined` when they are not ours,
 * changed in any way, or expired at `now` (seconds since 1970).
 *
 * @param secrets keys that may have signed it
 */
export function verifyAddress(
  target: string,
  host: string,
  secrets: readonly Uint8Array[],
  now: number,
): Grant | undefined {
  const [, pageId = '', version, expiry, viewer = '', signature = ''] = PATH.exec(target) ?? [];
  if (Number(expiry ?? 0) <= now) return undefined;
  const signed = host + target.slice(0, target.lastIndexOf('&sig='));
  const secret = secrets.find((candidate) => equal(mac(signed, candidate), signature));
  if (!secret) return undefined;
  const viewerId = unseal(viewer, secret);
  return { pageId, version: Number(version), viewerId, expiresAt: Number(expiry) };
}

function mac(text: string, secret: Uint8Array): string {
  return createHmac('sha256', derive(secret, 'sign')).update(text).digest('base64url');
}

function seal(text: string, secret: Uint8Array, iv: Uint8Array): string {
  const cipher = createCipheriv('aes-256-gcm', derive(secret, 'seal'), iv);
  const sealed = [iv, cipher.update(text), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

function unseal(sealed: string, secret: Uint8Array): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const iv = bytes.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', derive(secret, 'seal'), iv);
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return (
    decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') +
    decipher.final('utf8')
  );
}

/** A key for one purpose, so that none serves two (RFC 5869). */
function derive(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `briefs page address: ${purpose}`, 32));
}

function equal(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
