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

/** Returns changes as edits. */
export function editsOf(changes: readonly Change[]): Edit[] {
  return changes.map(({ from, to, insert }) => ({ from, to, length: insert.length }));
}

/** Words amid what somebody wrote are theirs, too, if they are only as long as these were before. */
const RETYPED = 16;

/** How a text became another: its passages were put in an order, and then edited. */
export interface Rewritten {
  /** Ranges that cover the text before, and a line break behind it if its last passage was moved. */
  order: Range[];
  /** Indexes are those of the text in that order. */
  edits: Edit[];
}

/** Compares two texts. Takes as long as `changes`, and some more. */
export function rewritten(before: string, after: string): Rewritten {
  const order = inOrderOf(before, after);
  if (order.length === 1) return { order, edits: editsOf(changes(before, after)) };
  const text = `${before}\n`;
  const last = order.find(({ end }) => end === before.length);
  if (last && order.at(-1) !== last && !/\s$/.test(before)) last.end++;
  const inOrder = order.map(({ start, end }) => text.slice(start, end)).join('');
  return { order, edits: editsOf(changes(inOrder, after)) };
}

/**
 * Puts the origins of a text in another order.
 *
 * @param order ranges that cover the text, each once
 * @param origin of what a range has beyond the end
 */
export function reordered<Origin>(
  spans: readonly Span<Origin>[],
  order: readonly Range[],
  origin: Origin,
): Span<Origin>[] {
  const parts = order.map((): Span<Origin>[] => []);
  const all: Span<Origin>[] = [...spans, [1, origin]];
  let [at, span] = [0, 0];
  for (const index of [...order.keys()].sort((a, b) => startOf(order, a) - startOf(order, b))) {
    const { end } = order[index] as Range;
    while (at < end && span < all.length) {
      const [length, from] = all[span] as Span<Origin>;
      const part = Math.min(length, end - at);
      parts[index]?.push([part, from]);
      at += part;
      if (part === length) span++;
      else all[span] = [length - part, from];
    }
  }
  return parts.flat();
}

function startOf(order: readonly Range[], index: number): number {
  return (order[index] as Range).start;
}

/**
 * Carries the origins of a text's words through a change of it: what stays keeps its origin.
 *
 * @param edits in order and disjoint; indexes are those of the text before
 * @param origin of what is new
 * @param written the origins of ranges of the new text where they are others, in order and disjoint;
 *   only what is new takes them, and what is shorter than {@link RETYPED} amid one of them
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
  /** Returns the next range that ends behind what is done. */
  const nextWritten = () => {
    while (next < written.length && (written[next] as Written<Origin>).end <= length) next++;
    return written[next];
  };
  const keep = (to: number) => {
    const size = to - at;
    const { start = length, end = length, origin: typist = origin } = nextWritten() ?? {};
    const isRetyped = size < RETYPED && start < length && length + size < end;
    pass(to, !isRetyped);
    if (isRetyped) add(size, typist);
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
    keep(edit.from);
    pass(edit.to, false);
    insert(edit.length);
  }
  pass(Number.POSITIVE_INFINITY, true);
  return after;
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
