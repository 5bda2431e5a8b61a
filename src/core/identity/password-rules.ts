import { RAW_LIMITS } from '../../base/text/raw-length.ts';
import { loadCommonPasswords } from './common-passwords.ts';

/** Unicode characters, after normalisation. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 1024;

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
export async function passwordFault(
  password: string | undefined,
  own: readonly string[],
): Promise<string | undefined> {
  if (password === undefined) return `must have at most ${MAX_LENGTH} characters.`;
  if (lengthOf(password) < MIN_LENGTH) {
    return `must have at least ${MIN_LENGTH} characters.`;
  }
  const folded = password.toLowerCase();
  if (own.flatMap(withLocalPart).includes(folded)) {
    return 'must not be your username or email address.';
  }
  if (new Set(folded).size === 1 || (await loadCommonPasswords()).has(folded)) {
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
