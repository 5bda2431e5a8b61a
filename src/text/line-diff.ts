import { diffArrays } from 'diff';

/** Lines `from` to before `to` of one text stand where the other has `toFrom` to before `toTo`. */
export interface Hunk {
  from: number;
  to: number;
  toFrom: number;
  toTo: number;
}

/** A change of a text, in characters (UTF-16 units) of the text before it. */
export interface TextChange {
  from: number;
  to: number;
  insert: string;
}

/** The most differing lines for which a gap without anchors is compared line by line. */
const MAX_EDITS = 400;

/** The steps that a diff may take: so many, and so many for each line of both texts. */
const STEPS = { least: 1_000_000, perLine: 8 };

/**
 * Returns where two texts differ, by line, first to last. Hunks neither overlap nor touch.
 *
 * Lines that occur once on both sides are anchors (patience diff); what is between them is compared
 * again, small gaps by Myers' algorithm. The time is proportional to the lines of both texts: once
 * the budget is used up, a gap is one hunk. The budget counts steps, not time, so the result is the
 * same everywhere.
 */
export function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  const { a, b, distinct } = numbered(before, after);
  let steps = STEPS.least + STEPS.perLine * (a.length + b.length);
  const hunks: Hunk[] = [];
  const seenA = new Int32Array(distinct);
  const seenB = new Int32Array(distinct);
  const placeB = new Int32Array(distinct);
  const gaps: Hunk[] = [{ from: 0, to: a.length, toFrom: 0, toTo: b.length }];
  for (let gap = gaps.pop(); gap; gap = gaps.pop()) {
    let { from, to, toFrom, toTo } = gap;
    while (from < to && toFrom < toTo && a[from] === b[toFrom]) {
      from++;
      toFrom++;
    }
    while (from < to && toFrom < toTo && a[to - 1] === b[toTo - 1]) {
      to--;
      toTo--;
    }
    if (from === to && toFrom === toTo) continue;
    const hunk = { from, to, toFrom, toTo };
    const length = to - from + toTo - toFrom;
    if (from === to || toFrom === toTo || steps < length) {
      hunks.push(hunk);
      continue;
    }
    steps -= length;
    const found = anchors(hunk);
    if (found.anchors.length > 0) {
      let [last, lastTo] = [from, toFrom];
      for (const [at, atTo] of found.anchors) {
        gaps.push({ from: last, to: at, toFrom: lastTo, toTo: atTo });
        [last, lastTo] = [at + 1, atTo + 1];
      }
      gaps.push({ from: last, to, toFrom: lastTo, toTo });
      continue;
    }
    const maxEdits = Math.min(length, MAX_EDITS);
    if (!found.haveCommon || steps < maxEdits ** 2) {
      hunks.push(hunk);
      continue;
    }
    steps -= maxEdits ** 2;
    hunks.push(...compared(hunk, maxEdits));
  }
  return joined(hunks.sort((one, other) => one.from - other.from || one.toFrom - other.toFrom));

  /** The lines that occur once on both sides of a gap, as far as their order is the same. */
  function anchors({ from, to, toFrom, toTo }: Hunk) {
    for (let at = from; at < to; at++) seenA[a[at] as number] = 0;
    for (let at = toFrom; at < toTo; at++) {
      seenA[b[at] as number] = 0;
      seenB[b[at] as number] = 0;
    }
    for (let at = from; at < to; at++) {
      const line = a[at] as number;
      seenB[line] = 0;
      seenA[line] = (seenA[line] as number) + 1;
    }
    for (let at = toFrom; at < toTo; at++) {
      const line = b[at] as number;
      seenB[line] = (seenB[line] as number) + 1;
      placeB[line] = at;
    }
    const unique: [number, number][] = [];
    let haveCommon = false;
    for (let at = from; at < to; at++) {
      const line = a[at] as number;
      haveCommon ||= seenB[line] !== 0;
      if (seenA[line] === 1 && seenB[line] === 1) unique.push([at, placeB[line] as number]);
    }
    return { anchors: longestRun(unique), haveCommon };
  }

  function compared({ from, to, toFrom, toTo }: Hunk, maxEditLength: number): Hunk[] {
    const changes = diffArrays(
      Array.from(a.subarray(from, to)),
      Array.from(b.subarray(toFrom, toTo)),
      { maxEditLength },
    );
    if (!changes) return [{ from, to, toFrom, toTo }];
    const found: Hunk[] = [];
    let [at, atTo] = [from, toFrom];
    for (const { added, removed, count } of changes) {
      const end = added ? at : at + count;
      const endTo = removed ? atTo : atTo + count;
      if (added || removed) found.push({ from: at, to: end, toFrom: atTo, toTo: endTo });
      [at, atTo] = [end, endTo];
    }
    return found;
  }
}

/**
 * Returns the changes that make one text of another, first to last: whole lines, as few as
 * {@link diffLines} finds.
 */
export function changesBetween(before: string, after: string): TextChange[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const starts: number[] = [];
  let length = 0;
  for (const line of a) {
    starts.push(length);
    length += line.length + 1;
  }
  return diffLines(a, b).map(({ from, to, toFrom, toTo }) => {
    const lines = b.slice(toFrom, toTo);
    if (to < a.length) {
      const insert = lines.map((line) => `${line}\n`).join('');
      return { from: starts[from] as number, to: starts[to] as number, insert };
    }
    // The last line has no line break behind it, so the one before it goes or comes.
    if (from > 0) {
      const insert = lines.map((line) => `\n${line}`).join('');
      return { from: (starts[from] ?? length) - 1, to: before.length, insert };
    }
    return { from: 0, to: before.length, insert: lines.join('\n') };
  });
}

/** Both texts with a number for each distinct line. */
function numbered(before: readonly string[], after: readonly string[]) {
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const a = Int32Array.from(before, numberOf);
  const b = Int32Array.from(after, numberOf);
  return { a, b, distinct: numbers.size };
}

/** The longest run of pairs whose second numbers rise as the first ones do. */
function longestRun(pairs: readonly [number, number][]): [number, number][] {
  /** For each length, the pair that ends the run of this length with the smallest second number. */
  const ends: number[] = [];
  const previous = new Int32Array(pairs.length);
  for (const [index, [, place]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as [number, number])[1] < place) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = index;
  }
  const run: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) {
    run.push(pairs[at] as [number, number]);
  }
  return run.reverse();
}

/** Hunks that touch, as one. */
function joined(hunks: readonly Hunk[]): Hunk[] {
  const result: Hunk[] = [];
  for (const hunk of hunks) {
    const last = result.at(-1);
    if (last && last.to === hunk.from && last.toTo === hunk.toFrom) {
      last.to = hunk.to;
      last.toTo = hunk.toTo;
    } else {
      result.push({ ...hunk });
    }
  }
  return result;
}
