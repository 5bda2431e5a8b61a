import { diffArrays } from 'diff';
import { type Hunk, patienceDiff } from './patience.ts';

/** The most differences for which a gap without anchors is compared item by item. */
const MAX_EDITS = 400;

/** How many items of both sides may be compared item by item. */
const BUDGET = 20_000;

/**
 * Returns the hunks where two lists of lines (or other pieces) differ, in order, with equal items
 * between them. Unlike `lineHunks`, no hunks are joined over a short match, which is right for
 * merging but not for reading. The time is linear, plus a constant.
 */
export function lineDiff(before: readonly string[], after: readonly string[]): Hunk[] {
  const numbering = new Map<string, number>();
  const numberOf = (item: string) => {
    const known = numbering.get(item);
    if (known !== undefined) return known;
    numbering.set(item, numbering.size);
    return numbering.size - 1;
  };
  const a = Int32Array.from(before, numberOf);
  const b = Int32Array.from(after, numberOf);
  let budget = BUDGET;
  const hunks = patienceDiff({ a, b, distinct: numbering.size }, (gap) => {
    budget -= gap.to - gap.from + gap.toTo - gap.toFrom;
    return budget < 0 ? undefined : compared(a, b, gap);
  });
  return slidDown(a, b, hunks);
}

/**
 * Moves insertions and deletions down as far as the result is the same, so that equal ones of two
 * texts are at the same place: a list item inserted before or after the end of another.
 */
function slidDown(a: Int32Array, b: Int32Array, hunks: readonly Hunk[]): Hunk[] {
  const slid: Hunk[] = [];
  let limit = a.length;
  for (const hunk of hunks.toReversed()) {
    let { from, to, toFrom, toTo } = hunk;
    const [items, start] = from === to ? [b, toFrom] : [a, from];
    const size = from === to ? toTo - toFrom : to - from;
    const isOneSided = from === to || toFrom === toTo;
    let by = 0;
    while (isOneSided && to + by < limit && items[start + by] === items[start + size + by]) by++;
    [from, to, toFrom, toTo] = [from + by, to + by, toFrom + by, toTo + by];
    const next = slid.at(-1);
    if (next?.from === to && next.toFrom === toTo) [next.from, next.toFrom] = [from, toFrom];
    else slid.push({ from, to, toFrom, toTo });
    limit = from;
  }
  return slid.reverse();
}

/** Returns the hunks of a gap by Myers' algorithm, or undefined if there are too many. */
function compared(a: Int32Array, b: Int32Array, gap: Hunk): Hunk[] | undefined {
  const before = Array.from(a.subarray(gap.from, gap.to));
  const after = Array.from(b.subarray(gap.toFrom, gap.toTo));
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  if (!parts) return undefined;
  const hunks: Hunk[] = [];
  let [at, atTo] = [gap.from, gap.toFrom];
  for (const { added, removed, count } of parts) {
    const end = added ? at : at + count;
    const endTo = removed ? atTo : atTo + count;
    const last = hunks.at(-1);
    if (added || removed) {
      if (last?.to === at && last.toTo === atTo) [last.to, last.toTo] = [end, endTo];
      else hunks.push({ from: at, to: end, toFrom: atTo, toTo: endTo });
    }
    [at, atTo] = [end, endTo];
  }
  return hunks;
}
