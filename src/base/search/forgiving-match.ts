import type { SearchTerm } from './search-query.ts';
import { errorsForgiven, typingErrors } from './typing-errors.ts';
import { closenessOf } from './word-match.ts';

/**
 * Queries with more words are matched exactly, because no one remembers that many words of a name.
 */
const MAX_WORDS = 8;

/** Tells whether a query has a word in which typing errors are tolerated. */
export function canForgive(terms: readonly SearchTerm[]): boolean {
  const words = terms.flatMap((term) => term.words);
  return words.length <= MAX_WORDS && words.some((word) => errorsForgiven(word) > 0);
}

/** How a name matches a query, if typing errors are tolerated. */
export interface ForgivingMatch {
  errors: number;
  /** The name's words that match misspelled ones. */
  corrections: string[];
  /** The words that must be elsewhere in the document. */
  missing: string[];
}

/**
 * Compares a query with the words of a name.
 *
 * @returns `undefined` if none of the words is misspelled in the name
 */
export function matchForgiving(
  terms: readonly SearchTerm[],
  names: readonly string[],
): ForgivingMatch | undefined {
  const match: ForgivingMatch = { errors: 0, corrections: [], missing: [] };
  for (const term of terms) {
    const asWritten = { ...term, stems: [] };
    for (const [index, word] of term.words.entries()) {
      if (closenessOf(asWritten, index, names)) continue;
      const closest = closestTo(word, names);
      if (closest) {
        match.errors += closest.errors;
        match.corrections.push(closest.name);
      } else match.missing.push(word);
    }
  }
  return match.corrections.length > 0 ? match : undefined;
}

function closestTo(
  word: string,
  names: Iterable<string>,
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
