import { type Change, changes } from './changes.ts';
import { type Hunk, withoutEqualEnds } from './patience.ts';

/** Two texts and their lines. */
export interface Versions {
  before: string;
  after: string;
  beforeLines: readonly string[];
  afterLines: readonly string[];
}

/**
 * Returns the hunks of whole lines where two texts differ, in order, with equal lines between them.
 *
 * Lines can be without their line breaks (`split('\n')`) or with them ({@link linesWithBreaks}).
 *
 * @param found the texts' changes, if they are known already
 */
export function lineHunks(
  { before, after, beforeLines, afterLines }: Versions,
  found: readonly Change[] = changes(before, after),
): Hunk[] {
  const lineBefore = lineFinder(before, beforeLines.length);
  const lineAfter = lineFinder(after, afterLines.length);
  const hunks: Hunk[] = [];
  /** Offset of the later text from the earlier one. */
  let shift = 0;
  for (const { from, to, insert } of found) {
    const toFrom = from + shift;
    shift += insert.length - (to - from);
    const hunk = {
      from: lineBefore(from),
      to: Math.min(lineBefore(to) + 1, beforeLines.length),
      toFrom: lineAfter(toFrom),
      toTo: Math.min(lineAfter(to + shift) + 1, afterLines.length),
    };
    const last = hunks.at(-1);
    // Several changes in one line are one hunk.
    if (last && last.to > hunk.from) {
      [last.to, last.toTo] = [hunk.to, hunk.toTo];
    } else {
      hunks.push(hunk);
    }
  }
  // Inserting or removing lines doesn't change their neighbours.
  return joined(hunks.map((hunk) => withoutEqualEnds(beforeLines, afterLines, hunk)));
}

/** Cuts a text into lines with their line breaks. A final line break begins no further line. */
export function linesWithBreaks(text: string): string[] {
  const found = text.split('\n');
  const last = found.pop();
  const lines = found.map((line) => `${line}\n`);
  if (last) lines.push(last);
  return lines;
}

/** Returns a function that finds the line, from 0, of an index. Indexes must not decrease. */
function lineFinder(text: string, count: number): (index: number) => number {
  let line = 0;
  let next = text.indexOf('\n');
  return (index) => {
    while (next >= 0 && next < index && line < count) {
      line++;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}

function joined(hunks: readonly Hunk[]): Hunk[] {
  const result: Hunk[] = [];
  for (const hunk of hunks) {
    const last = result.at(-1);
    if (last?.to !== hunk.from || last.toTo !== hunk.toFrom) result.push(hunk);
    else [last.to, last.toTo] = [hunk.to, hunk.toTo];
  }
  return result;
}
