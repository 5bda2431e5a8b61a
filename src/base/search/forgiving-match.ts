import { isWanted, type SearchQuery } from './search-query.ts';
import { errorsForgiven, typingErrors } from './typing-errors.ts';

/**
 * Queries with more words are matched exactly, because no one remembers that many words of a name.
 */
const MAX_WORDS = 8;

/** Tells whether a query has a word in which typing errors are tolerated. */
export function canForgive({ words }: SearchQuery): boolean {
  return words.length <= MAX_WORDS && words.some((word) => errorsForgiven(word) > 0);
}

/** How a name matches a query, if typing errors are tolerated. */
export interface ForgivingMatch {
  errors: number;
  /** The name's words that match misspelled ones. */
  corrections: string[];
}

/** Compares a query with the words of a name. @returns `undefined` if a word isn't among them */
export function matchForgiving(
  { words, lastIsPrefix }: SearchQuery,
  names: ReadonlySet<string>,
): ForgivingMatch | undefined {
  const match: ForgivingMatch = { errors: 0, corrections: [] };
  for (const [index, word] of words.entries()) {
    const isPrefix = lastIsPrefix && index === words.length - 1;
    const one = { words: [word], lastIsPrefix: isPrefix };
    if ([...names].some((name) => isWanted(one, name))) continue;
    const closest = closestTo(word, names);
    if (!closest) return undefined;
    match.errors += closest.errors;
    match.corrections.push(closest.name);
  }
  return match;
}

function closestTo(
  word: string,
  names: ReadonlySet<string>,
): { name: string; errors: number } | undefined {
  const forgiven = errorsForgiven(word);
  let closest: { name: string; errors: number } | undefined;
  for (const name of names) {
    const most = Math.min(forgiven, errorsForgiven(name));
    const errors = most === 0 ? undefined : typingErrors(word, name, most);
    if (errors !== undefined && errors < (closest?.errors ?? Number.POSITIVE_INFINITY)) {
      closest = { name, errors };
    }
  }
  return closest;
}
