import { RAW_LIMITS } from '../../base/text/raw-length.ts';

/** Unicode characters, after normalisation. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 1024;

/** The passwords guessed first, of those that are long enough. */
const COMMON = new Set(
  `
  00000000 11111111 12341234 12344321 123123123 12345678 123456789 1234567890 12345678910 123qweasd
  1q2w3e4r 1q2w3e4r5t 1qaz2wsx 87654321 987654321 abc12345 abcd1234 abcdefgh access14 adminadmin
  administrator asdfasdf asdfghjkl baseball basketball changeme computer corvette football
  iloveyou iloveyou1 internet jennifer letmein1 liverpool master123 michelle mustang1 p@ssw0rd
  p@ssword pass1234 passw0rd password password1 password12 password123 password1234 princess
  qazwsxedc qwer1234 qwerty12 qwerty123 qwerty1234 qwertyui qwertyuiop samantha secret123
  starwars sunshine superman test1234 testtest trustno1 welcome1 welcome123 whatever zaq12wsx
  zxcvbnm1 zxcvbnm123
  `
    .trim()
    .split(/\s+/),
);

/**
 * Normalises a password to NFKC, so that it is the same on every keyboard (NIST SP 800-63B-4,
 * section 3.1.1.2). `undefined` if the text is longer than any password can be.
 */
export function normalisePassword(text: string): string | undefined {
  if (text.length > RAW_LIMITS.password) return undefined;
  const normalised = text.normalize('NFKC');
  return lengthOf(normalised) <= MAX_LENGTH ? normalised : undefined;
}

/**
 * Returns what is wrong with a new password, as a sentence that follows `password: `, or
 * `undefined`. Doesn't require kinds of characters: such rules make passwords worse.
 *
 * @param password from {@link normalisePassword}
 * @param own what others know about the owner (username, email address)
 */
export function passwordFault(
  password: string | undefined,
  own: readonly string[],
): string | undefined {
  if (password === undefined) return `must have at most ${MAX_LENGTH} characters.`;
  if (lengthOf(password) < MIN_LENGTH) {
    return `must have at least ${MIN_LENGTH} characters.`;
  }
  const folded = password.toLowerCase();
  if (own.flatMap(withLocalPart).includes(folded)) {
    return 'must not be your username or email address.';
  }
  if (COMMON.has(folded) || new Set(folded).size === 1) {
    return 'this password is too common. Choose another.';
  }
  return undefined;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** Returns an email address and the part before its `@`. */
function withLocalPart(text: string): string[] {
  const folded = text.toLowerCase();
  return [folded, folded.split('@', 1)[0] ?? folded];
}
