import { lineHunks } from './line-hunks.ts';
import type { Hunk } from './patience.ts';

/** A place where two texts with the same base have different changes. */
export interface Conflict {
  /** The line of the merged text where the conflict begins, from 1. */
  line: number;
  /** The same line in the current text. */
  currentLine: number;
  /** The lines of the base, the current text and yours. Any can be empty. */
  base: string[];
  current: string[];
  yours: string[];
}

export interface Merged {
  /** Has the changes of both sides and, at a conflict, the lines of the current text. */
  text: string;
  /** In order; empty if everything merged. */
  conflicts: Conflict[];
}

/**
 * Merges two texts with the same base, by line. A change that both sides made is taken once. There
 * is a conflict where both touch a line, or insert at one point, with different results. Swapping
 * the sides only swaps whose lines are in the text at a conflict.
 *
 * Takes as long as two calls of `changes`. In very different texts `changes` is coarser, so
 * conflicts are more likely.
 */
export function merge3(base: string, current: string, yours: string): Merged {
  if (current === yours || yours === base) return { text: current, conflicts: [] };
  if (current === base) return { text: yours, conflicts: [] };
  const lines = base.split('\n');
  const theirs = sideOf(base, lines, current);
  const ours = sideOf(base, lines, yours);
  const merged: string[] = [];
  const conflicts: Conflict[] = [];
  let at = 0;
  /** How many lines of the current text were passed. */
  let currentAt = 0;
  for (;;) {
    const group = nextGroup(theirs, ours);
    const until = group ? group.from : lines.length;
    currentAt += until - at;
    while (at < until) merged.push(lines[at++] as string);
    if (!group) return { text: merged.join('\n'), conflicts };
    const current = theirs.take(group);
    const yours = ours.take(group);
    if (current.isChanged && yours.isChanged && !haveSameLines(current, yours)) {
      conflicts.push({
        line: merged.length + 1,
        currentLine: currentAt + 1,
        base: lines.slice(group.from, group.to),
        current: current.lines,
        yours: yours.lines,
      });
    }
    for (const line of current.isChanged ? current.lines : yours.lines) merged.push(line);
    currentAt += current.lines.length;
    at = group.to;
  }
}

/** Lines [from, to) of the base, counted from 0. */
interface Range {
  from: number;
  to: number;
}

/** One side's lines for a range of the base, and whether they differ from it. */
interface Taken {
  lines: string[];
  isChanged: boolean;
}

/** The hunks of one side that are not merged yet. */
interface Side {
  next(): Hunk | undefined;
  /** Takes this side's lines for a range that contains its next hunks whole. */
  take(range: Range): Taken;
  /** Widens a range by the hunks after the first `skipped` that touch it, and counts all so far. */
  widen(range: Range, skipped: number): { range: Range; touching: number };
}

function haveSameLines({ lines }: Taken, other: Taken): boolean {
  if (lines.length !== other.lines.length) return false;
  return lines.every((line, index) => line === other.lines[index]);
}

function sideOf(base: string, baseLines: readonly string[], text: string): Side {
  const lines = text.split('\n');
  const hunks = lineHunks({
    before: base,
    beforeLines: baseLines,
    after: text,
    afterLines: lines,
  });
  let at = 0;
  /** Offset of this side's lines from the base. */
  let shift = 0;
  return {
    next: () => hunks[at],
    take({ from, to }) {
      const start = from + shift;
      const first = at;
      for (let hunk = hunks[at]; hunk && isWithin(hunk, { from, to }); hunk = hunks[++at]) {
        shift += hunk.toTo - hunk.toFrom - (hunk.to - hunk.from);
      }
      return { lines: lines.slice(start, to + shift), isChanged: at > first };
    },
    widen(range, skipped) {
      let { from, to } = range;
      let touching = skipped;
      for (let hunk = hunks[at + touching]; hunk; hunk = hunks[at + ++touching]) {
        if (!touches(hunk, { from, to })) break;
        from = Math.min(from, hunk.from);
        to = Math.max(to, hunk.to);
      }
      return { range: { from, to }, touching };
    },
  };
}

/** Returns the base lines of the next hunk and of all hunks of either side that touch it. */
function nextGroup(theirs: Side, ours: Side): Range | undefined {
  const [first, other] = [theirs.next(), ours.next()];
  const earlier = first && other ? (isBefore(other, first) ? other : first) : (first ?? other);
  if (!earlier) return undefined;
  let range: Range = { from: earlier.from, to: earlier.to };
  const counts = [0, 0];
  for (let isWider = true; isWider; ) {
    isWider = false;
    for (const [index, side] of [theirs, ours].entries()) {
      const widened = side.widen(range, counts[index] as number);
      isWider ||= widened.touching > (counts[index] as number);
      counts[index] = widened.touching;
      range = widened.range;
    }
  }
  return range;
}

/** Tells whether a change comes first. An insertion precedes a change of the line after it. */
function isBefore(one: Range, other: Range): boolean {
  return one.from < other.from || (one.from === other.from && one.to < other.to);
}

/** Tells whether two changes share a line, or insert at the same point. */
function touches(one: Range, other: Range): boolean {
  if (one.from === other.from && one.to === other.to) return true;
  return one.from < other.to && other.from < one.to;
}

function isWithin(hunk: Range, range: Range): boolean {
  if (hunk.from === hunk.to && range.from !== range.to) {
    return range.from < hunk.from && hunk.to < range.to;
  }
  return range.from <= hunk.from && hunk.to <= range.to;
}
