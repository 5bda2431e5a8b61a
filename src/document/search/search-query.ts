import { findWords } from './search-words.ts';

/** What is looked at of what somebody typed. */
const MAX_QUERY_CHARACTERS = 256;
const MAX_QUERY_WORDS = 16;

/** What somebody looks for: all of these words, the last of which may be the beginning of one. */
export interface SearchQuery {
  words: readonly string[];
  lastIsPrefix: boolean;
}

/** One letter or digit begins too much. */
const TOO_SHORT_A_PREFIX = /^[a-z0-9]$/;

/** The words of whatever was typed; every text is a query, some of them without words. */
export function parseQuery(text: string): SearchQuery {
  const found = findWords(text.slice(0, MAX_QUERY_CHARACTERS).toWellFormed());
  const words = [...found].flatMap((word) => word.words).slice(0, MAX_QUERY_WORDS);
  const last = words.at(-1);
  return { words, lastIsPrefix: last !== undefined && !TOO_SHORT_A_PREFIX.test(last) };
}

/** Whether a word of a text is one that is looked for. */
export function isWanted({ words, lastIsPrefix }: SearchQuery, word: string): boolean {
  if (words.includes(word)) return true;
  return lastIsPrefix && word.startsWith(words.at(-1) as string);
}
