import { findWords } from './search-words.ts';

/** How much of a query counts. */
const MAX_QUERY_CHARACTERS = 256;
const MAX_QUERY_WORDS = 16;

/** Words to find. All must match; the last one can be a prefix. */
export interface SearchQuery {
  words: readonly string[];
  lastIsPrefix: boolean;
}

/** A prefix of one letter or digit matches too much. */
const TOO_SHORT_A_PREFIX = /^[a-z0-9]$/;

/** Parses a query. Every text is one; some have no words. */
export function parseQuery(text: string): SearchQuery {
  const found = findWords(text.slice(0, MAX_QUERY_CHARACTERS).toWellFormed());
  const words = [...found].flatMap((word) => word.words).slice(0, MAX_QUERY_WORDS);
  const last = words.at(-1);
  return { words, lastIsPrefix: last !== undefined && !TOO_SHORT_A_PREFIX.test(last) };
}

export function isWanted({ words, lastIsPrefix }: SearchQuery, word: string): boolean {
  if (words.includes(word)) return true;
  return lastIsPrefix && word.startsWith(words.at(-1) as string);
}
