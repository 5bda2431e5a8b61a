import { formatPatch } from 'diff';
import { characterStart } from './character-start.ts';
import { inLineBreaksOf } from './line-breaks.ts';
import { lineHunks, linesWithBreaks } from './line-hunks.ts';
import type { Hunk } from './patience.ts';

export interface UnifiedDiff {
  /** In the unified format, beginning with `---`; empty for equal texts. */
  unified: string;
  /** Numbers of added and removed lines, including hunks that were cut. */
  added: number;
  removed: number;
  /** Whether hunks, or the end of one, were left out. */
  isCut: boolean;
}

export interface UnifiedDiffOptions {
  /** Names of the texts for the two header lines. */
  names: [before: string, after: string];
  /** The most text in the lines of a diff, in UTF-16 code units. */
  maxLength: number;
  /** Unchanged lines shown around each change; 3 by default. */
  context?: number;
  /**
   * The longest unchanged line, in UTF-16 code units. Longer ones are cut, so the diff is no patch.
   */
  maxUnchanged?: number;
}

const CONTEXT = 3;

const NO_LINE_BREAK = '\\ No newline at end of file';

/**
 * Compares two texts by line, apart from their line breaks. Takes as long as `changes`.
 * The diff is a patch that turns one text into the other, unless it or one of its lines is cut. A
 * cut diff ends between two lines, and the counts in its last hunk header are wrong.
 */
export function unifiedDiff(
  before: string,
  given: string,
  { names, maxLength, context = CONTEXT, maxUnchanged }: UnifiedDiffOptions,
): UnifiedDiff {
  // A text keeps its line breaks, so nobody changed them on purpose.
  const after = inLineBreaksOf(before, given);
  const beforeLines = linesWithBreaks(before);
  const afterLines = linesWithBreaks(after);
  const hunks = lineHunks({ before, after, beforeLines, afterLines });
  const added = hunks.reduce((sum, { toFrom, toTo }) => sum + toTo - toFrom, 0);
  const removed = hunks.reduce((sum, { from, to }) => sum + to - from, 0);
  if (hunks.length === 0) return { unified: '', added, removed, isCut: false };

  let room = maxLength;
  const printed = [];
  for (const group of grouped(hunks, context)) {
    if (room < 0) break;
    const fits = (line: string) => {
      room -= line.length + 1;
      return room >= 0;
    };
    const hunk = hunkOf(group, beforeLines, afterLines, { context, maxUnchanged, fits });
    if (hunk.lines.length > 0) printed.push(hunk);
  }
  const [oldFileName, newFileName] = names;
  const patch = { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined };
  const headers = { includeIndex: false, includeUnderline: false, includeFileHeaders: true };
  const unified = formatPatch({ ...patch, hunks: printed }, headers);
  return { unified, added, removed, isCut: room < 0 };
}

/** Groups hunks whose context would overlap or touch. */
function grouped(hunks: readonly Hunk[], context: number): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last && hunk.from - last.to <= 2 * context) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

/** Formats one hunk, with as many lines as `fits` accepts. */
function hunkOf(
  group: readonly Hunk[],
  before: readonly string[],
  after: readonly string[],
  {
    context: most,
    maxUnchanged = Number.POSITIVE_INFINITY,
    fits,
  }: {
    context: number;
    maxUnchanged: number | undefined;
    fits: (line: string) => boolean;
  },
) {
  const [first, last] = [group[0] as Hunk, group.at(-1) as Hunk];
  const context = Math.min(most, first.from);
  const start = first.from - context;
  const newStart = first.toFrom - context;
  const end = Math.min(last.to + most, before.length);
  const newEnd = last.toTo + end - last.to;
  return {
    oldStart: start + 1,
    oldLines: end - start,
    newStart: newStart + 1,
    newLines: newEnd - newStart,
    lines: printedLines(),
  };

  function printedLines(): string[] {
    const lines: string[] = [];
    let at = start;
    for (const { from, to, toFrom, toTo } of group) {
      if (!print(' ', before, at, from)) return lines;
      if (!print('-', before, from, to) || !print('+', after, toFrom, toTo)) return lines;
      at = to;
    }
    print(' ', before, at, end);
    return lines;

    function print(sign: string, text: readonly string[], from: number, to: number): boolean {
      for (let index = from; index < to; index++) {
        const whole = text[index] as string;
        const hasBreak = whole.endsWith('\n');
        const line = hasBreak ? whole.slice(0, -1) : whole;
        const shown = sign === ' ' ? shortened(line, maxUnchanged) : line;
        if (!fits(hasBreak ? `${shown}\n` : shown)) return false;
        lines.push(sign + shown);
        if (!hasBreak) lines.push(NO_LINE_BREAK);
      }
      return true;
    }
  }
}

function shortened(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line;
  return `${line.slice(0, characterStart(line, maxLength))}…`;
}
