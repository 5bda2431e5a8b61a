import { diffArrays } from 'diff';
import { type Hunk, patienceDiff } from './patience.ts';
import { isBetweenWords, isChance, lines, type Numbering, type Pieces, words } from './pieces.ts';

/** A change of a text; indexes are UTF-16 code units of the original. */
export interface Change {
  from: number;
  to: number;
  insert: string;
}

/** The most differences for which a gap is compared piece by piece. */
const MAX_LINE_EDITS = 400;
const MAX_WORD_EDITS = 800;

/** How many characters of both texts may be compared piece by piece. */
const BUDGET = 400_000;

/** How many changes in white space alone are reported separately. */
const MAX_WHITE_SPACE = 100_000;

/** Measured: a character that differs takes as long as this many more that are only read. */
const COST_OF_DIFFERING = 10;

/**
 * Estimates the work of comparing two texts, in characters: {@link changes} takes about 0.1 s for a
 * million. The same texts always have the same cost.
 */
export function costOfComparing(a: string, b: string): number {
  const { start, end } = equalEnds(a, b);
  const all = a.length + b.length;
  return all + COST_OF_DIFFERING * Math.min(all - 2 * (start + end), BUDGET);
}

/**
 * Returns the changes that turn one text into another: in order, disjoint, with text between them.
 *
 * Compares lines first (long ones in parts), anchored at those that occur once on both sides, then
 * compares the gaps by words. Ignores white space; where only white space differs, the change
 * covers nothing else. A match of fewer than three letters or digits counts as chance and becomes
 * part of the change.
 *
 * Time is linear in both texts plus a constant: once a budget of characters is spent, a gap is one
 * change. There is no time limit, so the result is the same in every process. Two texts of 5 MB can
 * take a second, so use a worker thread for large texts.
 */
export function changes(a: string, b: string): Change[] {
  if (a === b) return [];
  const found: Hunk[] = [];
  let characters = BUDGET;
  let whiteSpace = MAX_WHITE_SPACE;
  const affords = ({ from, to, toFrom, toTo }: Hunk) => {
    const cost = to - from + toTo - toFrom;
    if (cost > characters) return false;
    characters -= cost;
    return true;
  };

  const whole = differingLines(a, b);
  let last = startOf(whole);
  for (const gap of withoutChance(a, byLine(whole))) {
    addWhiteSpace(between(last, gap));
    byWord(gap);
    last = gap;
  }
  addWhiteSpace(between(last, endOf(whole)));
  return found.map((hunk) => {
    const { from, to, toFrom, toTo } = withoutEqualSpace(a, b, hunk);
    return { from, to, insert: b.slice(toFrom, toTo) };
  });

  function add(hunk: Hunk): void {
    const last = found.at(-1);
    if (last?.to !== hunk.from || last.toTo !== hunk.toFrom) found.push(hunk);
    else [last.to, last.toTo] = [hunk.to, hunk.toTo];
  }

  /** Returns the lines that differ, as ranges of characters. */
  function byLine(gap: Hunk): Hunk[] {
    const numbering: Numbering = new Map();
    const pieces = [
      lines(a, gap, numbering),
      lines(b, { from: gap.toFrom, to: gap.toTo }, numbering),
    ] as const;
    const [{ keys: keysA }, { keys: keysB }] = pieces;
    const hunks = patienceDiff({ a: keysA, b: keysB, distinct: numbering.size }, (hunk) =>
      affords(inCharacters(pieces, hunk)) ? compared(pieces, hunk, MAX_LINE_EDITS) : undefined,
    );
    return hunks.map((hunk) => inCharacters(pieces, hunk));
  }

  function byWord(gap: Hunk): void {
    const rest = withoutEqualWords(a, b, gap);
    const isOneSided = rest.from === rest.to || rest.toFrom === rest.toTo;
    const hunks = isOneSided || !affords(rest) ? [rest] : wordsThatDiffer(rest);
    // Matches at either end may be chance, too.
    let last = startOf(rest);
    for (const hunk of withoutChance(a, [last, ...hunks, endOf(rest)])) {
      addWhiteSpace(between(last, hunk));
      if (hunk.from < hunk.to || hunk.toFrom < hunk.toTo) add(hunk);
      last = hunk;
    }
  }

  function wordsThatDiffer(gap: Hunk): Hunk[] {
    const numbering: Numbering = new Map();
    const pieces = [
      words(a, gap, numbering),
      words(b, { from: gap.toFrom, to: gap.toTo }, numbering),
    ] as const;
    const [{ keys: keysA }, { keys: keysB }] = pieces;
    const all = { from: 0, to: keysA.length, toFrom: 0, toTo: keysB.length };
    const hunks = compared(pieces, all, MAX_WORD_EDITS);
    return hunks?.map((hunk) => inCharacters(pieces, hunk)) ?? [gap];
  }

  /** Adds the differences in white space of two ranges that are otherwise equal. */
  function addWhiteSpace(same: Hunk): void {
    if (a.slice(same.from, same.to) === b.slice(same.toFrom, same.toTo)) return;
    for (let { from, toFrom } = same; from < same.to || toFrom < same.toTo; ) {
      const to = whiteSpace > 0 ? endOfSpace(a, from, same.to) : same.to;
      const toTo = whiteSpace > 0 ? endOfSpace(b, toFrom, same.toTo) : same.toTo;
      if (a.slice(from, to) !== b.slice(toFrom, toTo)) {
        add({ from, to, toFrom, toTo });
        whiteSpace--;
      }
      [from, toFrom] = [to, toTo];
      while (from < same.to && a[from] === b[toFrom] && !isSpace(a, from)) {
        from++;
        toFrom++;
      }
    }
  }
}

function startOf({ from, toFrom }: Hunk): Hunk {
  return { from, to: from, toFrom, toTo: toFrom };
}

function endOf({ to, toTo }: Hunk): Hunk {
  return { from: to, to, toFrom: toTo, toTo };
}

function between(one: Hunk, other: Hunk): Hunk {
  return { from: one.to, to: other.from, toFrom: one.toTo, toTo: other.toFrom };
}

/** Returns the lines from the first to the last difference. */
function differingLines(a: string, b: string): Hunk {
  const { start, end } = equalEnds(a, b);
  const from = start === 0 ? 0 : a.lastIndexOf('\n', start - 1) + 1;
  const lineBreak = a.indexOf('\n', a.length - end);
  const length = lineBreak < 0 ? 0 : a.length - lineBreak - 1;
  return { from, to: a.length - length, toFrom: from, toTo: b.length - length };
}

/** Counts the equal characters at the start and end of two texts, or of a gap in them. */
export function equalEnds(
  a: string,
  b: string,
  { from, to, toFrom, toTo }: Hunk = { from: 0, to: a.length, toFrom: 0, toTo: b.length },
) {
  const most = Math.min(to - from, toTo - toFrom);
  let start = 0;
  while (start < most && a.charCodeAt(from + start) === b.charCodeAt(toFrom + start)) start++;
  let end = 0;
  while (end < most - start && a.charCodeAt(to - 1 - end) === b.charCodeAt(toTo - 1 - end)) end++;
  return { start, end };
}

/** Drops equal words at the start and end of a gap, unless they match by chance. */
function withoutEqualWords(a: string, b: string, gap: Hunk): Hunk {
  const { from, to, toFrom, toTo } = gap;
  let { start, end } = equalEnds(a, b, gap);
  const isWithin = (at: number, atTo: number) => !isBetweenWords(a, at) || !isBetweenWords(b, atTo);
  while (start > 0 && isWithin(from + start, toFrom + start)) start--;
  while (end > 0 && isWithin(to - end, toTo - end)) end--;
  if (isChance(a.slice(from, from + start))) start = 0;
  if (isChance(a.slice(to - end, to))) end = 0;
  return { from: from + start, to: to - end, toFrom: toFrom + start, toTo: toTo - end };
}

/** Drops equal white space at the end and start of a hunk. */
function withoutEqualSpace(a: string, b: string, { from, to, toFrom, toTo }: Hunk): Hunk {
  while (from < to && toFrom < toTo && isSpace(a, to - 1) && a[to - 1] === b[toTo - 1]) {
    to--;
    toTo--;
  }
  while (from < to && toFrom < toTo && isSpace(a, from) && a[from] === b[toFrom]) {
    from++;
    toFrom++;
  }
  return { from, to, toFrom, toTo };
}

/** Joins hunks if the text between them matches only by chance. */
function withoutChance(a: string, hunks: readonly Hunk[]): Hunk[] {
  const joined: Hunk[] = [];
  for (const hunk of hunks) {
    const last = joined.at(-1);
    if (last && isChance(a.slice(last.to, hunk.from))) {
      [last.to, last.toTo] = [hunk.to, hunk.toTo];
    } else {
      joined.push({ ...hunk });
    }
  }
  return joined;
}

function inCharacters([a, b]: readonly [Pieces, Pieces], hunk: Hunk): Hunk {
  return {
    from: a.starts[hunk.from] as number,
    to: a.starts[hunk.to] as number,
    toFrom: b.starts[hunk.toFrom] as number,
    toTo: b.starts[hunk.toTo] as number,
  };
}

/** Returns the hunks of a gap by Myers' algorithm, or undefined if there are too many. */
function compared(
  [a, b]: readonly [Pieces, Pieces],
  { from, to, toFrom, toTo }: Hunk,
  maxEditLength: number,
): Hunk[] | undefined {
  const before = Array.from(a.keys.subarray(from, to));
  const after = Array.from(b.keys.subarray(toFrom, toTo));
  const parts = diffArrays(before, after, { maxEditLength });
  if (!parts) return undefined;
  const found: Hunk[] = [];
  let [at, atTo] = [from, toFrom];
  for (const { added, removed, count } of parts) {
    const end = added ? at : at + count;
    const endTo = removed ? atTo : atTo + count;
    if (added || removed) found.push({ from: at, to: end, toFrom: atTo, toTo: endTo });
    [at, atTo] = [end, endTo];
  }
  return found;
}

function isSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code < 128 ? code === 32 || (code >= 9 && code <= 13) : /\s/.test(text.charAt(index));
}

function endOfSpace(text: string, from: number, limit: number): number {
  let end = from;
  while (end < limit && isSpace(text, end)) end++;
  return end;
}
