import type { Conflict } from './merge.ts';

/** The most lines that a message names. */
const MAX_LINES = 10;

/** Names the lines of the current text where conflicts begin: `line 3`, or `lines 3, 7`. */
export function conflictLines(conflicts: readonly Pick<Conflict, 'currentLine'>[]): string {
  const lines = conflicts.slice(0, MAX_LINES).map(({ currentLine }) => currentLine);
  return `${conflicts.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
}
