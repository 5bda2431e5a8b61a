import { diffLines, type Hunk } from './line-diff.ts';

/** A place where two texts made of the same one contradict each other. */
export interface Conflict {
  /** The line of the merged text at which it begins, counted from 0. */
  line: number;
  /** The lines there of the base, of the current text and of mine. */
  base: string[];
  current: string[];
  mine: string[];
}

export interface Merged {
  /** Both sides' changes; at a conflict, the lines of the current text. */
  text: string;
  /** First to last. */
  conflicts: Conflict[];
}

/**
 * Merges two texts that were made of the same base, by line: a change that one side made is taken,
 * and one that both made is taken once. There is a conflict where both touch the same line, or insert
 * at the same point, and do not do the same. The result does not depend on which side is which, except
 * for the lines at conflicts. The time is proportional to the lines of all three texts, as for
 * {@link diffLines}, which with hostile texts finds coarser changes and so more conflicts.
 */
export function merge3(base: string, current: string, mine: string): Merged {
  if (current === mine || mine === base) return { text: current, conflicts: [] };
  if (current === base) return { text: mine, conflicts: [] };
  const lines = base.split('\n');
  const sides = [sideOf(lines, current), sideOf(lines, mine)] as const;
  const [theirs, ours] = sides;
  const merged: string[] = [];
  const conflicts: Conflict[] = [];
  let at = 0;
  for (;;) {
    const group = nextGroup(theirs, ours);
    const until = group ? group.from : lines.length;
    while (at < until) merged.push(lines[at++] as string);
    if (!group) return { text: merged.join('\n'), conflicts };
    const [current, mine] = sides.map((side) => side.take(group)) as [Taken, Taken];
    const isSame =
      current.lines.length === mine.lines.length &&
      current.lines.every((line, index) => line === mine.lines[index]);
    if (current.isChanged && mine.isChanged && !isSame) {
      conflicts.push({
        line: merged.length,
        base: lines.slice(group.from, group.to),
        current: current.lines,
        mine: mine.lines,
      });
    }
    for (const line of current.isChanged ? current.lines : mine.lines) merged.push(line);
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

function sideOf(base: readonly string[], text: string): Side {
  const lines = text.split('\n');
  const hunks = diffLines(base, lines);
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
