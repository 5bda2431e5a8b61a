import { findWords, UNSPACED } from './search-words.ts';

/** The fewest characters of a word that tells something. Names and numbers can be shorter. */
const LEAST_LETTERS = 4;

/** The same for scripts without spaces, whose words are short. */
const LEAST_UNSPACED = 2;

/**
 * Tells which texts repeat something that has gone: a word that was in `before` and isn't in `after`.
 * Only counts words with at least four characters or a digit, without regard to case and accents.
 */
export function repeatsGone(before: string, after: string, texts: readonly string[]): boolean[] {
  const gone = wordsOf(before);
  for (const word of wordsOf(after)) gone.delete(word);
  return texts.map((text) => gone.size > 0 && hasWord(text, gone));
}

function wordsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const { words, isName } of findWords(text)) {
    if (isName) continue;
    for (const word of words) if (isTelling(word)) found.add(word);
  }
  return found;
}

function hasWord(text: string, wanted: ReadonlySet<string>): boolean {
  for (const { words, isName } of findWords(text)) {
    if (!isName && words.some((word) => wanted.has(word))) return true;
  }
  return false;
}

function isTelling(word: string): boolean {
  const least = UNSPACED.test(word) ? LEAST_UNSPACED : LEAST_LETTERS;
  return /\p{N}/u.test(word) || Array.from(word).length >= least;
}
