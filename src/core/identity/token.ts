import { crc32 } from 'node:zlib';

const PREFIX = 'brf_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Random bytes of a token: 22 bytes are 176 bits, which 30 base62 digits can hold. */
export const TOKEN_SECRET_BYTES = 22;

/**
 * Formats a personal access token: `brf_`, 30 base62 digits of secret, 6 of its CRC-32.
 *
 * @param secret {@link TOKEN_SECRET_BYTES} random bytes
 */
export function formatToken(secret: Uint8Array): string {
  const digits = base62(BigInt(`0x${Buffer.from(secret).toString('hex')}`), SECRET_LENGTH);
  return PREFIX + digits + checksum(digits);
}

/** Tells whether a text has the prefix of a personal access token. */
export function isPersonalToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * Tells whether a text has a token's form and a correct checksum. Doesn't check whether it works.
 */
export function isWellFormedToken(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secret = text.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return text.endsWith(checksum(secret));
}

/**
 * Returns the CRC-32 in base62. Uses numbers, which are ten times as fast as bigints, because every
 * request checks a token.
 */
function checksum(digits: string): string {
  let text = '';
  for (let rest = crc32(digits); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62)) {
    text = ALPHABET.charAt(rest % 62) + text;
  }
  return text;
}

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest /= 62n) {
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  }
  return digits;
}
