import { lineHunks } from './line-hunks.ts';
import type { Hunk } from './patience.ts';

/** A place where two texts that come from the same one contradict each other. */
export interface Conflict {
  /** The line of the merged text where it begins, from 1. */
  line: number;
  /** The lines there: of the base, of the current text and of yours. Any may have none. */
  base: string[];
  current: string[];
  yours: string[];
}

export interface Merged {
  /** Both sides' changes; at a conflict, the lines of the current text. */
  text: string;
  /** First to last; none where everything merged. */
  conflicts: Conflict[];
}

/**
 * Merges two texts that come from the same base, by line. It takes what one side changed, and once
 * what both changed alike. Where both touch a line or insert at one point, and differ, there is a
 * conflict. Swapping the sides changes nothing but whose lines stand at conflicts.
 *
 * Costs two calls of `changes`: where a text is so different that these become coarse, both sides
 * more often touch the same lines.
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
  for (;;) {
    const group = nextGroup(theirs, ours);
    const until = group ? group.from : lines.length;
    while (at < until) merged.push(lines[at++] as string);
    if (!group) return { text: merged.join('\n'), conflicts };
    const current = theirs.take(group);
    const yours = ours.take(group);
    if (current.isChanged && yours.isChanged && !haveSameLines(current, yours)) {
      conflicts.push({
        line: merged.length + 1,
        base: lines.slice(group.from, group.to),
        current: current.lines,
        yours: yours.lines,
      });
    }
    for (const line of current.isChanged ? current.lines : yours.lines) merged.push(line);
    at = group.to;
  }
}

/** Lines of the base. */
interface Range {
  from: number;
  to: number;
}

/** What one side has in place of a range, and whether that is other than the base. */
interface Taken {
  lines: string[];
  isChanged: boolean;
}

/** One side's hunks that are still to be merged. */
interface Side {
  next(): Hunk | undefined;
  /** What stands in place of a range that holds the next hunks whole. */
  take(range: Range): Taken;
  /** The range, wider where this side's hunks from `skipped` on touch it; and how many did. */
  widen(range: Range, skipped: number): { range: Range; touching: number };
}

function haveSameLines({ lines }: Taken, other: Taken): boolean {
  if (lines.length !== other.lines.length) return false;
  return lines.every((line, index) => line === other.lines[index]);
}

function sideOf(base: string, baseLines: readonly string[], text: string): Side {
  const lines = text.split('\n');
  const hunks = lineHunks({
    ...{ before: base, beforeLines: baseLines },
    ...{ after: text, afterLines: lines },
  });
  let at = 0;
  /** How many lines further down this side is than the base. */
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

/** The lines of the base that the next hunk changes, with all hunks of either side that touch them. */
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

/** What inserts at a point comes before what changes the line behind it. */
function isBefore(one: Range, other: Range): boolean {
  return one.from < other.from || (one.from === other.from && one.to < other.to);
}

/** Whether two changes share a line, or insert at the same point. */
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
