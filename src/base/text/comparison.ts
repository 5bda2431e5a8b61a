import { type Change, changes } from './changes.ts';
import { inLineBreaksOf } from './line-breaks.ts';
import { lineHunks, linesWithBreaks } from './line-hunks.ts';
import type { Hunk } from './patience.ts';

/** Part of a line. */
export interface Part {
  text: string;
  /** Whether the other text lacks it. */
  isChanged: boolean;
}

export interface ShownLine {
  /** From 1. */
  number: number;
  parts: Part[];
}

/** A row of the side-by-side view; one side is missing if it has no matching line. */
export interface Row {
  before?: ShownLine;
  after?: ShownLine;
  isChanged: boolean;
}

/** The differences of two texts, side by side, with changed words marked. */
export interface Comparison {
  /** Changes with unchanged lines around them, in order. */
  groups: Row[][];
  /** Numbers of added and removed lines, including rows that were cut. */
  added: number;
  removed: number;
  /** Whether some of the changed text was left out. */
  isCut: boolean;
}

/** Unchanged lines shown around each change. */
const CONTEXT = 3;

/**
 * The most text shown of a line by default, and of each end of an unchanged part, in UTF-16 code
 * units.
 */
const MAX_PART = 2_000;
const MAX_UNCHANGED = 160;
const GAP = ' … ';

/**
 * Compares two texts by line and word, apart from their line breaks. Takes as long as `changes`.
 *
 * @param maxLength the most text shown of both sides together, in UTF-16 code units; each line and
 *   part counts some more for its markup
 * @param maxPart the most text shown of a line, in UTF-16 code units
 */
export function compareTexts(
  before: string,
  given: string,
  { maxLength, maxPart = MAX_PART }: { maxLength: number; maxPart?: number | undefined },
): Comparison {
  // A text keeps its line breaks, so nobody changed them on purpose.
  const after = inLineBreaksOf(before, given);
  const beforeLines = linesWithBreaks(before);
  const afterLines = linesWithBreaks(after);
  const found = changes(before, after);
  const hunks = lineHunks({ before, after, beforeLines, afterLines }, found);
  const added = hunks.reduce((sum, { toFrom, toTo }) => sum + toTo - toFrom, 0);
  const removed = hunks.reduce((sum, { from, to }) => sum + to - from, 0);
  const sides = sidesOf(found, beforeLines, afterLines);
  let room = maxLength;
  let [isCut, isFull] = [false, false];
  const groups: Row[][] = [];
  for (const group of grouped(hunks)) {
    const rows: Row[] = [];
    for (const row of rowsOf(group, beforeLines.length, sides)) {
      if (room <= 0) {
        isCut = true;
        isFull = true;
        break;
      }
      const { isWhole, ...shownSides } = clippedSides(row, maxPart);
      if (!isWhole) isCut = true;
      const shown = { ...row, ...shownSides };
      room -= lengthOf(shown.before) + lengthOf(shown.after);
      rows.push(shown);
    }
    if (rows.length > 0) groups.push(rows);
    if (isFull) break;
  }
  return { groups, added, removed, isCut };
}

/** Finds the lines to show by their number, from 0. They have no line breaks. */
interface Sides {
  before(line: number): ShownLine;
  after(line: number): ShownLine;
  /** Returns the line of the later text that shares words with a line of the earlier one. */
  partnerOf(line: number): number | undefined;
}

/** Groups hunks whose context would overlap or touch. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last && hunk.from - last.to <= 2 * CONTEXT) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function* rowsOf(group: readonly Hunk[], beforeCount: number, sides: Sides): Generator<Row> {
  const [first, last] = [group[0] as Hunk, group.at(-1) as Hunk];
  const context = Math.min(CONTEXT, first.from);
  let [at, atTo] = [first.from - context, first.toFrom - context];
  for (const hunk of group) {
    yield* unchanged(hunk.from);
    yield* changed(hunk);
    [at, atTo] = [hunk.to, hunk.toTo];
  }
  yield* unchanged(Math.min(last.to + CONTEXT, beforeCount));

  function* unchanged(end: number): Generator<Row> {
    for (; at < end; at++, atTo++) {
      yield { before: sides.before(at), after: sides.after(atTo), isChanged: false };
    }
  }

  /** Pairs lines that share words; other lines get a row of their own. */
  function* changed({ from, to, toFrom, toTo }: Hunk): Generator<Row> {
    let next = toFrom;
    const alone: number[] = [];
    for (let line = from; line < to; line++) {
      const partner = sides.partnerOf(line);
      if (partner === undefined || partner < next || partner >= toTo) {
        alone.push(line);
        continue;
      }
      yield* beside(alone.splice(0), partner);
      next = partner + 1;
      yield { before: sides.before(line), after: sides.after(partner), isChanged: true };
    }
    yield* beside(alone, toTo);

    function* beside(lines: readonly number[], end: number): Generator<Row> {
      for (const line of lines) {
        yield {
          before: sides.before(line),
          ...(next < end && { after: sides.after(next++) }),
          isChanged: true,
        };
      }
      while (next < end) yield { after: sides.after(next++), isChanged: true };
    }
  }
}

/** Prepares the changes of each side for look-up by line. */
function sidesOf(
  found: readonly Change[],
  beforeLines: readonly string[],
  afterLines: readonly string[],
): Sides {
  const [starts, startsTo] = [startsOf(beforeLines), startsOf(afterLines)];
  const inserted: Change[] = [];
  let shift = 0;
  for (const { from, to, insert } of found) {
    inserted.push({ from: from + shift, to: from + shift + insert.length, insert: '' });
    shift += insert.length - (to - from);
  }
  return {
    before: (line) => shownLine(line, beforeLines, starts, found),
    after: (line) => shownLine(line, afterLines, startsTo, inserted),
    partnerOf(line) {
      const kept = shownLine(line, beforeLines, starts, found).parts;
      let at = starts[line] as number;
      for (const { text, isChanged } of kept) {
        const word = isChanged ? -1 : text.search(/\S/);
        if (word >= 0) return lineAt(startsTo, moved(at + word));
        at += text.length;
      }
      return undefined;
    },
  };

  /** Returns the index of an unchanged character after the changes. */
  function moved(index: number): number {
    const last = lastBefore(found, index);
    if (last < 0) return index;
    const { to } = found[last] as Change;
    return (inserted[last] as Change).to + index - to;
  }
}

function shownLine(
  line: number,
  lines: readonly string[],
  starts: readonly number[],
  ranges: readonly Change[],
): ShownLine {
  const start = starts[line] as number;
  const text = (lines[line] as string).replace(/\r?\n$/, '');
  const end = start + text.length;
  const parts: Part[] = [];
  let at = start;
  const add = (to: number, isChanged: boolean) => {
    if (to > at) parts.push({ text: text.slice(at - start, to - start), isChanged });
    at = Math.max(at, to);
  };
  for (let index = Math.max(0, lastBefore(ranges, start)); index < ranges.length; index++) {
    const range = ranges[index] as Change;
    if (range.from >= end) break;
    if (range.to <= start) continue;
    add(Math.min(Math.max(range.from, start), end), false);
    add(Math.min(range.to, end), true);
  }
  add(end, false);
  return { number: line + 1, parts };
}

/** Returns the index of the last range that begins at or before an index; -1 if there is none. */
function lastBefore(ranges: readonly Change[], place: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as Change).from <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function lineAt(starts: readonly number[], index: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= index) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function startsOf(lines: readonly string[]): number[] {
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.length;
  }
  return starts;
}

/** Shortens both sides of a row. `isWhole` tells whether all that has changed is still there. */
function clippedSides({ before, after, isChanged }: Row, maxPart: number) {
  const sides = {
    before: before && clipped(before, maxPart),
    after: after && clipped(after, maxPart),
  };
  return {
    ...(sides.before && { before: sides.before.line }),
    ...(sides.after && { after: sides.after.line }),
    isWhole: !isChanged || !(sides.before?.isCut || sides.after?.isCut),
  };
}

/** Shortens a long line to its changes and their surroundings, and to the longest text shown. */
function clipped(
  { number, parts }: ShownLine,
  maxPart: number,
): { line: ShownLine; isCut: boolean } {
  let room = maxPart;
  const shown: Part[] = [];
  for (const [index, { text, isChanged }] of parts.entries()) {
    const short =
      parts.length === 1 || isChanged || text.length <= 2 * MAX_UNCHANGED
        ? text
        : (index === 0 ? '' : text.slice(0, MAX_UNCHANGED)) +
          GAP +
          (index === parts.length - 1 ? '' : text.slice(-MAX_UNCHANGED));
    const fits = short.length <= room ? short : short.slice(0, Math.max(0, room)) + GAP;
    shown.push({ text: fits.toWellFormed(), isChanged });
    room -= short.length;
    if (room < 0) break;
  }
  return { line: { number, parts: shown }, isCut: room < 0 };
}

function lengthOf(line: ShownLine | undefined): number {
  // Every line costs markup, even a short one.
  return line ? line.parts.reduce((sum, { text }) => sum + text.length + 20, 80) : 0;
}
