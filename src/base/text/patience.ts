/** A range of each sequence: items [from, to) of `a`, and [toFrom, toTo) of `b`. */
export interface Hunk {
  from: number;
  to: number;
  toFrom: number;
  toTo: number;
}

/** Two sequences of item numbers, all below `distinct`. */
export interface Sequences {
  a: Int32Array;
  b: Int32Array;
  distinct: number;
}

/**
 * The budget of items that all anchor searches together may visit: a fixed number, plus some per
 * item.
 */
const STEPS = { least: 1_000_000, perItem: 8 };

/**
 * Returns the hunks where two sequences differ, in order, with equal items between them.
 *
 * Items that occur once on both sides are anchors (patience diff); gaps between anchors are
 * compared again. Takes O(n log n) without `compare`: once the budget is spent, each remaining gap
 * is one hunk.
 *
 * @param compare finds the hunks of a gap that has common items but no anchors; returns undefined
 *   if that would take too long
 */
export function patienceDiff(
  sequences: Sequences,
  compare: (gap: Hunk) => Hunk[] | undefined,
): Hunk[] {
  const { a, b } = sequences;
  const findAnchors = anchorFinder(sequences);
  let steps = STEPS.least + STEPS.perItem * (a.length + b.length);
  const hunks: Hunk[] = [];
  const gaps: Hunk[] = [{ from: 0, to: a.length, toFrom: 0, toTo: b.length }];
  for (let gap = gaps.pop(); gap; gap = gaps.pop()) {
    const rest = withoutEqualEnds(a, b, gap);
    const length = rest.to - rest.from + rest.toTo - rest.toFrom;
    if (length === 0) continue;
    if (rest.from === rest.to || rest.toFrom === rest.toTo || steps < length) {
      hunks.push(rest);
      continue;
    }
    steps -= length;
    const { anchors, haveCommon } = findAnchors(rest);
    if (anchors.length === 0) {
      for (const hunk of (haveCommon && compare(rest)) || [rest]) hunks.push(hunk);
      continue;
    }
    let { from, toFrom } = rest;
    for (const [at, atTo] of anchors) {
      gaps.push({ from, to: at, toFrom, toTo: atTo });
      [from, toFrom] = [at + 1, atTo + 1];
    }
    gaps.push({ from, to: rest.to, toFrom, toTo: rest.toTo });
  }
  return hunks.sort((one, other) => one.from - other.from || one.toFrom - other.toFrom);
}

/** Drops equal items at both ends. */
export function withoutEqualEnds<Item>(a: ArrayLike<Item>, b: ArrayLike<Item>, gap: Hunk): Hunk {
  let { from, to, toFrom, toTo } = gap;
  while (from < to && toFrom < toTo && a[from] === b[toFrom]) {
    from++;
    toFrom++;
  }
  while (from < to && toFrom < toTo && a[to - 1] === b[toTo - 1]) {
    to--;
    toTo--;
  }
  return { from, to, toFrom, toTo };
}

/** Finds the longest ordered run of items that occur once on both sides of a gap. */
function anchorFinder({ a, b, distinct }: Sequences) {
  const countA = new Int32Array(distinct);
  const countB = new Int32Array(distinct);
  const placeB = new Int32Array(distinct);
  return ({ from, to, toFrom, toTo }: Hunk) => {
    for (let at = from; at < to; at++) {
      countA[a[at] as number] = 0;
      countB[a[at] as number] = 0;
    }
    for (let at = toFrom; at < toTo; at++) countB[b[at] as number] = 0;
    for (let at = from; at < to; at++) {
      const item = a[at] as number;
      countA[item] = (countA[item] as number) + 1;
    }
    for (let at = toFrom; at < toTo; at++) {
      const item = b[at] as number;
      countB[item] = (countB[item] as number) + 1;
      placeB[item] = at;
    }
    let haveCommon = false;
    // Items that occur once in both: their indexes in `a`, and in `b`.
    const unique: number[] = [];
    const places: number[] = [];
    for (let at = from; at < to; at++) {
      const item = a[at] as number;
      haveCommon ||= countB[item] !== 0;
      if (countA[item] !== 1 || countB[item] !== 1) continue;
      unique.push(at);
      places.push(placeB[item] as number);
    }
    const anchors = longestRising(places).map((index): [number, number] => [
      unique[index] as number,
      places[index] as number,
    ]);
    return { anchors, haveCommon };
  };
}

/** Returns the indexes of the longest rising subsequence. */
export function longestRising(numbers: readonly number[]): number[] {
  /** For each length, the last index of the run of that length with the smallest last number. */
  const ends: number[] = [];
  const endNumbers: number[] = [];
  const previous = new Int32Array(numbers.length);
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((endNumbers[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = index;
    endNumbers[low] = number;
  }
  const run: number[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) run.push(at);
  return run.reverse();
}
