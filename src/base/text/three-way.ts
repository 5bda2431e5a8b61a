import { lineDiff } from './line-diff.ts';
import type { Hunk } from './patience.ts';

/** Items [from, to) of a list, counted from 0. */
export interface Span {
  from: number;
  to: number;
}

/** A part of a merge: where it is in each list, and who changed it. */
export interface Part {
  base: Span;
  current: Span;
  yours: Span;
  /** `both` made the same change. */
  by: 'none' | 'current' | 'yours' | 'both' | 'conflict';
}

/** Tells whether two changes of one base, by different sides, must be looked at as one. */
export type Touches = (current: Hunk, yours: Hunk) => boolean;

/**
 * Compares two lists with the one that both come from, and returns their parts in order. Each can
 * be lines, or smaller pieces of a text. Swapping the sides only swaps them in the result.
 */
export function threeWay(
  base: readonly string[],
  current: readonly string[],
  yours: readonly string[],
  touches: Touches,
): Part[] {
  const sides = [lineDiff(base, current), lineDiff(base, yours)] as const;
  const parts: Part[] = [];
  /** The next hunk of each side, and how far each side is. */
  const at = [0, 0];
  const reached = { base: 0, current: 0, yours: 0 };
  for (;;) {
    const counts = nextGroup(sides, at, touches);
    const groups = sides.map((hunks, side) => hunks.slice(at[side], counts[side])) as [
      Hunk[],
      Hunk[],
    ];
    const all = groups.flat();
    const from = all.length > 0 ? Math.min(...all.map((hunk) => hunk.from)) : base.length;
    const same = from - reached.base;
    if (same > 0) add({ from, to: from }, { current: same, yours: same }, 'none');
    if (all.length === 0) return parts;
    const to = Math.max(...all.map((hunk) => hunk.to));
    const lengths = {
      current: to - from + grown(groups[0]),
      yours: to - from + grown(groups[1]),
    };
    add({ from, to }, lengths, groups[0].length === 0 ? 'yours' : 'current', groups);
    [at[0], at[1]] = counts;
  }

  function add(
    { to }: Span,
    lengths: { current: number; yours: number },
    by: Part['by'],
    groups?: [Hunk[], Hunk[]],
  ): void {
    const part: Part = {
      base: { from: reached.base, to },
      current: { from: reached.current, to: reached.current + lengths.current },
      yours: { from: reached.yours, to: reached.yours + lengths.yours },
      by,
    };
    if (groups && groups[0].length > 0 && groups[1].length > 0) part.by = decided(part, groups);
    parts.push(part);
    reached.base = to;
    reached.current = part.current.to;
    reached.yours = part.yours.to;
  }

  function decided(part: Part, [theirs, ours]: [Hunk[], Hunk[]]): Part['by'] {
    const now = current.slice(part.current.from, part.current.to);
    const mine = yours.slice(part.yours.from, part.yours.to);
    if (now.length === mine.length && now.every((item, index) => item === mine[index])) {
      return 'both';
    }
    // What one side only inserted, the other did too, and more.
    if (isWithin(theirs, ours, yours, current)) return 'yours';
    if (isWithin(ours, theirs, current, yours)) return 'current';
    return 'conflict';
  }
}

/** Tells whether a side's only change is an insertion beside one that begins or ends with it. */
function isWithin(
  small: readonly Hunk[],
  large: readonly Hunk[],
  largeItems: readonly string[],
  smallItems: readonly string[],
): boolean {
  const [one, other] = [small[0], large[0]];
  if (!one || !other || small.length > 1 || large.length > 1) return false;
  if (one.from < one.to || other.from === other.to) return false;
  const added = smallItems.slice(one.toFrom, one.toTo);
  const items = largeItems.slice(other.toFrom, other.toTo);
  if (one.from === other.from) return added.every((item, index) => item === items[index]);
  if (one.from !== other.to) return false;
  const offset = items.length - added.length;
  return offset >= 0 && added.every((item, index) => item === items[offset + index]);
}

function grown(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { from, to, toFrom, toTo }) => sum + toTo - toFrom - (to - from), 0);
}

/** Returns, for each side, the end of its hunks that belong to the next group. */
function nextGroup(
  sides: readonly [Hunk[], Hunk[]],
  at: readonly number[],
  touches: Touches,
): [number, number] {
  const ends: [number, number] = [at[0] as number, at[1] as number];
  const [first, other] = [sides[0][ends[0]], sides[1][ends[1]]];
  if (!first && !other) return ends;
  ends[first && !(other && isBefore(other, first)) ? 0 : 1]++;
  const isTouched = (side: 0 | 1, hunk: Hunk | undefined): boolean => {
    if (!hunk) return false;
    const against = sides[1 - side] as Hunk[];
    const start = at[1 - side] as number;
    for (let index = (ends[1 - side] as number) - 1; index >= start; index--) {
      const one = against[index] as Hunk;
      if (one.to < hunk.from) return false;
      if (side === 0 ? touches(hunk, one) : touches(one, hunk)) return true;
    }
    return false;
  };
  for (let isWider = true; isWider; ) {
    isWider = false;
    for (const side of [0, 1] as const) {
      while (isTouched(side, sides[side][ends[side]])) {
        ends[side]++;
        isWider = true;
      }
    }
  }
  return ends;
}

/** Tells whether a change comes first. An insertion precedes a change of the line after it. */
function isBefore(one: Hunk, other: Hunk): boolean {
  return one.from < other.from || (one.from === other.from && one.to < other.to);
}

/** Tells whether two changes share an item of the base, or insert at the same point. */
export function overlap(one: Hunk, other: Hunk): boolean {
  if (one.from === other.from && one.to === other.to) return true;
  return one.from < other.to && other.from < one.to;
}

/** Tells whether two changes overlap, or have nothing unchanged between them. */
export function adjoin(one: Hunk, other: Hunk): boolean {
  return one.from <= other.to && other.from <= one.to;
}
