import { type Change, changes } from './changes.ts';
import { inOrderOf } from './moves.ts';
import type { Range } from './port.ts';

/** A piece of a text: its length in UTF-16 code units, and where its words come from. */
export type Span<Origin> = readonly [length: number, origin: Origin];

/** A range of a text, and who wrote it. */
export interface Written<Origin> {
  start: number;
  end: number;
  origin: Origin;
}

/** What a change does, without its words. */
export type Edit = Pick<Change, 'from' | 'to'> & { length: number };

export function editsOf(changes: readonly Change[]): Edit[] {
  return changes.map(({ from, to, insert }) => ({ from, to, length: insert.length }));
}

/** Amid what somebody wrote, what is shorter is equal by chance. */
const RETYPED = 16;

/**
 * Compares two texts. Takes as long as `changes`, and some more.
 *
 * @returns ranges that cover the text before, and a line break behind it, in the order in which the
 *   text after has them; and the changes of the text in that order
 */
export function rewritten(before: string, after: string): { order: Range[]; edits: Edit[] } {
  const order = inOrderOf(before, after);
  // The last passage may stand before others now.
  const last = order.find(({ end }) => end === before.length);
  if (last && last !== order.at(-1)) last.end++;
  const text = `${before}\n`;
  const inOrder = order.map(({ start, end }) => text.slice(start, end)).join('');
  const edits = changes(inOrder, after).map((change) => withoutEqualEnds(inOrder, change));
  return { order, edits: editsOf(edits) };
}

const WORD = /[\p{L}\p{N}]/u;

/** Two letters of one word, in scripts that divide words. */
const IN_WORD = /(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{N}\p{M}]{2}/u;

/**
 * Leaves out the words at the ends of a change that stay. Comparing takes few of them for chance, but
 * at the same end of the same place they aren't.
 */
function withoutEqualEnds(text: string, { from, to, insert }: Change): Change {
  const old = text.slice(from, to);
  const isWithin = (source: string, at: number) =>
    IN_WORD.test(source.slice(Math.max(0, at - 1), at + 1));
  const most = Math.min(old.length, insert.length);
  let start = 0;
  while (start < most && old[start] === insert[start]) start++;
  while (start > 0 && (isWithin(old, start) || isWithin(insert, start))) start--;
  if (!WORD.test(old.slice(0, start))) start = 0;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === insert.at(-1 - end)) end++;
  while (end > 0 && (isWithin(old, old.length - end) || isWithin(insert, insert.length - end)))
    end--;
  if (!WORD.test(old.slice(old.length - end))) end = 0;
  return { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) };
}

/** Puts the origins of a text in the order of its ranges. */
export function reordered<Origin>(
  spans: readonly Span<Origin>[],
  order: readonly Range[],
  origin: Origin,
): readonly Span<Origin>[] {
  if (order.length === 1) return spans;
  const all = [...spans, [1, origin] as const];
  return order.flatMap(({ start, end }) => {
    const others = { from: end, to: Number.POSITIVE_INFINITY, length: 0 };
    return carried(all, [{ from: 0, to: start, length: 0 }, others], origin);
  });
}

/**
 * Carries the origins of a text's words through a change of it: what stays keeps its origin.
 *
 * @param edits in order and disjoint; indexes are those of the text before
 * @param origin of what is new
 * @param written the origins of ranges of the new text where they are others, in order and disjoint;
 *   only what is new takes them, and what is short amid one of them
 */
export function carried<Origin>(
  before: readonly Span<Origin>[],
  edits: readonly Edit[],
  origin: Origin,
  written: readonly Written<Origin>[] = [],
): Span<Origin>[] {
  const after: [number, Origin][] = [];
  let length = 0;
  let [at, span, used, next] = [0, 0, 0, 0];

  const add = (added: number, from: Origin) => {
    if (added <= 0) return;
    const last = after.at(-1);
    if (last && last[1] === from) last[0] += added;
    else after.push([added, from]);
    length += added;
  };
  /** Moves on in the text before. */
  const pass = (to: number, isKept: boolean) => {
    while (at < to && span < before.length) {
      const [whole, from] = before[span] as Span<Origin>;
      const part = Math.min(whole - used, to - at);
      if (isKept) add(part, from);
      at += part;
      used += part;
      if (used === whole) [span, used] = [span + 1, 0];
    }
  };
  const nextWritten = () => {
    while (next < written.length && (written[next] as Written<Origin>).end <= length) next++;
    return written[next];
  };
  const insert = (inserted: number) => {
    const end = length + inserted;
    nextWritten();
    for (let index = next; index < written.length; index++) {
      const range = written[index] as Written<Origin>;
      if (range.start >= end) break;
      add(range.start - length, origin);
      add(Math.min(range.end, end) - length, range.origin);
    }
    add(end - length, origin);
  };

  for (const edit of edits) {
    const [size, range] = [edit.from - at, nextWritten()];
    const isAmid = range && range.start < length && length + size < range.end;
    const isRetyped = isAmid && size < RETYPED;
    pass(edit.from, !isRetyped);
    if (isRetyped) add(size, range.origin);
    pass(edit.to, false);
    insert(edit.length);
  }
  pass(Number.POSITIVE_INFINITY, true);
  return after;
}

/** Returns spans of a text, with those of other spans of it where they have an origin. */
export function withoutOrigin<Origin>(
  spans: readonly Span<Origin>[],
  others: readonly Span<Origin>[],
  origin: Origin,
): Span<Origin>[] {
  let start = 0;
  return spans.flatMap(([length, each]): Span<Origin>[] => {
    const [from, to] = [start, start + length];
    start = to;
    if (each !== origin) return [[length, each]];
    const after = { from: to, to: Number.POSITIVE_INFINITY, length: 0 };
    return carried(others, [{ from: 0, to: from, length: 0 }, after], origin);
  });
}

/** Returns the ranges of spans that have an origin. */
export function writtenOf<Origin>(spans: readonly Span<Origin | undefined>[]): Written<Origin>[] {
  let start = 0;
  return spans.flatMap(([length, origin]) => {
    const range = { start, end: start + length };
    start += length;
    return origin === undefined ? [] : [{ ...range, origin }];
  });
}

/**
 * Widens ranges by the white space around them. Comparing texts can count another line break as new
 * than the one that was written.
 */
export function withSpace<Origin>(
  written: readonly Written<Origin>[],
  text: string,
): Written<Origin>[] {
  let last = 0;
  return written.map(({ start, end, origin }, index) => {
    const next = written[index + 1]?.start ?? text.length;
    const before = text.slice(last, start);
    const after = text.slice(end, next);
    last = end + after.length - after.trimStart().length;
    return { start: start - before.length + before.trimEnd().length, end: last, origin };
  });
}
