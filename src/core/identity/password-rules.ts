import { RAW_LIMITS } from '../../base/text/raw-length.ts';

/** Passwords that are guessed first and that the package's list lacks. */
const ALSO_COMMON =
  '00000000 12341234 123123123 87654321 987654321 abcdefgh adminadmin p@ssword'.split(' ');

let loaded: Promise<ReadonlySet<string>> | undefined;

/**
 * Returns the passwords that are guessed first, in lower case: some 18,000 that are long enough, of
 * a list that comes with a package. Loads it at the first call, because few processes need it.
 */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    const known = dictionary['passwords-common'] as readonly string[];
    return new Set([...known.filter(({ length }) => length >= 8), ...ALSO_COMMON]);
  });
  return loaded;
}

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

/** Shorter parts of what others know are in too many passwords by chance. */
const MIN_WORD_LENGTH = 4;

/** Signs that are written for a letter. Letters that share a sign count as the same. */
const STAND_INS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '!': 'i',
  l: 'i',
  '3': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
};

/**
 * Returns what is wrong with a new password, as a sentence that follows `password: `, or
 * `undefined`. Doesn't require kinds of characters: such rules make passwords worse.
 *
 * A password can have words that others know of its owner, if what is left without them is itself
 * long enough and not too common.
 *
 * @param password from {@link normalisePassword}
 * @param known what others know (username, email address, the server's name)
 */
export async function passwordFault(
  password: string | undefined,
  known: readonly string[],
): Promise<string | undefined> {
  if (password === undefined) return `must have at most ${MAX_LENGTH} characters.`;
  if (lengthOf(password) < MIN_LENGTH) {
    return `must have at least ${MIN_LENGTH} characters.`;
  }
  const folded = password.toLowerCase();
  if (await isCommon(folded)) return 'this password is too common. Choose another.';
  const rest = without(folded, known.flatMap(wordsOf));
  if (rest !== folded && (lengthOf(rest) < MIN_LENGTH || (await isCommon(rest)))) {
    return 'must not be made of your username, your email address or the name of this server.';
  }
  return undefined;
}

async function isCommon(folded: string): Promise<boolean> {
  return new Set(folded).size === 1 || (await loadCommonPasswords()).has(folded);
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** Returns a name or an address, the part before its `@`, and the words in it. */
function wordsOf(text: string): string[] {
  const folded = text.toLowerCase();
  const words = folded.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length >= MIN_WORD_LENGTH);
  return [folded, folded.split('@', 1)[0] ?? '', ...words].filter(({ length }) => length > 2);
}

/** Takes all words out of a text, the longest first. */
function without(text: string, words: readonly string[]): string {
  let rest = text;
  for (const word of words.map(spelled).sort((one, other) => other.length - one.length)) {
    let at = spelled(rest).indexOf(word);
    while (at !== -1) {
      rest = rest.slice(0, at) + rest.slice(at + word.length);
      at = spelled(rest).indexOf(word, at);
    }
  }
  return rest;
}

/** Spells a text with one sign for those that stand for each other; keeps its length. */
function spelled(text: string): string {
  return text.replace(/[01!l34@5$7]/g, (sign) => STAND_INS[sign] ?? sign);
}
