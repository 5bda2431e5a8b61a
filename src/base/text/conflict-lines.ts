import type { Conflict } from './merge.ts';

/** The most lines that a message names. */
const MAX_LINES = 10;

/** Names the lines of the current text where conflicts begin: `line 3`, or `lines 3, 7`. */
export function conflictLines(conflicts: readonly Pick<Conflict, 'currentLine'>[]): string {
  return linesInWords(conflicts.map(({ currentLine }) => currentLine));
}

/** Names lines: `line 3`, or `lines 3, 7`. */
export function linesInWords(numbers: readonly number[]): string {
  const lines = numbers.slice(0, MAX_LINES);
  return `${numbers.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
}

/** Says in which lines both changed words, to follow “merged in”; '' if there are none. */
export function byWords(wordLines: readonly number[]): string {
  return wordLines.length === 0 ? '' : `, by words in ${linesInWords(wordLines)}`;
}
