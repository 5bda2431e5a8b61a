import { longestRising } from './patience.ts';
import type { Range } from './port.ts';

/** A sentence, a line, or the text of an element, with the signs around it. */
export interface Passage extends Range {
  /** The line in which its words begin, from 0. */
  line: number;
  words: string;
}

/** Instead of where a passage stands: it is gone, or there are copies. */
export const GONE = -1;
export const COPIED = -2;

const END = /[.!?](?:\s+|$)|[。！？]\s*|\n\s*|<[^<>\n]*>\s*|$/g;

/** Before the end of a line, what is shorter is the number of an item or an abbreviation. */
const SHORT = 3;

/** The line below the head of a table or a heading, and the end of that. */
const UNDERLINE = /\S[ \t]*\r?\n[ \t]*\|?[ \t]*:?[-=][-=:| \t]*$/;
const BEFORE_UNDERLINE = 8;

/** A text of more parts in another order was rather written anew. */
const MAX_RANGES = 1_000;

/** Cuts a text into passages that cover it. What has neither letters nor digits is no passage. */
export function passagesOf(text: string): Passage[] {
  const passages: Passage[] = [];
  let [start, at, line] = [0, 0, 0];
  for (const { 0: sign, index } of text.matchAll(END)) {
    const words = text.slice(at, index).replace(/^[^\p{L}\p{N}]+(?:x\]\s)?/iu, '');
    const from = Math.max(0, at - BEFORE_UNDERLINE);
    const above = at === start ? passages.at(-1) : undefined;
    at = index + sign.length;
    if (words.length >= (sign.includes('\n') || at === text.length ? 1 : SHORT)) {
      passages.push({ start, end: at, line, words });
      start = at;
    } else if (above && UNDERLINE.test(text.slice(from, at).trimEnd())) {
      // It stays below the head of its table, whatever row comes first.
      above.end = at;
      start = at;
    }
    line += sign.split('\n').length - 1;
  }
  const last = passages.at(-1);
  if (last) last.end = text.length;
  return passages;
}

/**
 * Tells where passages of a text stand in another: those that each has once, and those that begin or
 * end with the same words as a new one. Takes linear time.
 *
 * @returns for each passage its index in the other text, {@link GONE} or {@link COPIED}
 */
export function matchPassages(before: readonly Passage[], after: readonly Passage[]): Int32Array {
  const whole = ({ words }: Passage) => [words];
  const [own, places] = [onlyPlaces(before, whole), onlyPlaces(after, whole)];
  const found = Int32Array.from(before, ({ words }) =>
    own.get(words) === COPIED ? COPIED : (places.get(words) ?? GONE),
  );
  const lost = before.filter((_, index) => found[index] === GONE);
  const fresh = after.filter(({ words }) => !own.has(words));
  const [lostOnly, freshOnly] = [onlyPlaces(lost, marksOf), onlyPlaces(fresh, marksOf)];
  const indexes = new Map(after.map((passage, index) => [passage, index]));
  for (const [index, passage] of before.entries()) {
    const isOnly = (mark: string) =>
      (lostOnly.get(mark) ?? COPIED) >= 0 && (freshOnly.get(mark) ?? COPIED) >= 0;
    const mark = found[index] === GONE ? marksOf(passage).find(isOnly) : undefined;
    const match = fresh[freshOnly.get(mark ?? '') ?? GONE];
    if (match && indexes.has(match)) {
      found[index] = indexes.get(match) as number;
      indexes.delete(match);
    }
  }
  return found;
}

/**
 * Puts a text in the order in which another has its passages.
 *
 * @returns the ranges of the text in that order; one, if no passage was moved
 */
export function inOrderOf(before: string, after: string): Range[] {
  const passages = passagesOf(before);
  const others = passagesOf(after);
  const found = matchPassages(passages, others);
  // If there are as many copies as before, they are taken for the same in their order.
  const places = copiesOf(others);
  for (const [words, own] of copiesOf(passages)) {
    const there = places.get(words) ?? [];
    if (own.length !== there.length) continue;
    for (const [nth, index] of own.entries()) found[index] = there[nth] as number;
  }
  const placeOf = (index: number) => found[index] as number;
  const known = [...passages.keys()].filter((index) => placeOf(index) >= 0);
  const staying = new Set(longestRising(known.map(placeOf)).map((at) => known[at]));
  /** Behind which passage each stands: itself, or one that stays. */
  const behind = [...passages.keys()];
  let stays = -1;
  for (const index of known.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    if (staying.has(index)) stays = index;
    behind[index] = stays;
  }
  const key = (index: number) => behind[index] as number;
  const order = [...passages.keys()].sort((a, b) => key(a) - key(b) || placeOf(a) - placeOf(b));
  const ranges: Range[] = [];
  for (const { start, end } of order.map((index) => passages[index] as Passage)) {
    const last = ranges.at(-1);
    if (last?.end === start) last.end = end;
    else ranges.push({ start, end });
  }
  const isPlain = ranges.length === 0 || ranges.length > MAX_RANGES;
  return isPlain ? [{ start: 0, end: before.length }] : ranges;
}

/** Lists where each passage stands, in order. */
function copiesOf(passages: readonly Passage[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, { words }] of passages.entries()) {
    const copies = places.get(words);
    if (copies) copies.push(index);
    else places.set(words, [index]);
  }
  return places;
}

/** Tells which passage is the only one with a mark, or that several have it. */
function onlyPlaces(passages: readonly Passage[], marksOf: (passage: Passage) => string[]) {
  const places = new Map<string, number>();
  for (const [index, passage] of passages.entries()) {
    for (const mark of marksOf(passage)) places.set(mark, places.has(mark) ? COPIED : index);
  }
  return places;
}

/** What a passage can be known by when it was changed. */
function marksOf({ words }: Passage): string[] {
  const all = words.split(/\s+/);
  const [first, last] = [all.slice(0, 2).join(' '), all.slice(-2).join(' ')];
  return all.length < 3 ? [] : [`${first} …`, `… ${last}`, `${all[0]} … ${all.at(-1)}`];
}
