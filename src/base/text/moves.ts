import { longestRising } from './patience.ts';
import { type Numbering, words } from './pieces.ts';
import type { Range } from './port.ts';

/** A sentence or line of a text, or the text of an element. Those of a text cover all of it. */
export interface Passage extends Range {
  /** The line in which its words begin, from 0. */
  line: number;
  /** Its words, without list marks before and full stops after them. */
  words: string;
}

/** What {@link matchPassages} says instead of a place: the passage is gone, or there are copies. */
export const GONE = -1;
export const COPIED = -2;

/** What ends a passage, with the space after it. */
const END = /[.!?]\s+|[。！？]\s*|\n\s*|<[^<>\n]*>\s*/g;

/** Signs and spaces of ASCII. */
const SIGN = /[\s!-/:-@[-`{-~]/;

/** What is no passage before the end of a line, but the number of a list item or an abbreviation. */
const SHORT = 3;

/** If more text than this has no equal, passages with other words aren't searched. */
const MAX_COMPARED = 400_000;

/** Cuts a text at line breaks, full stops and tags. What has neither letters nor digits is no passage. */
export function passagesOf(text: string): Passage[] {
  const passages: Passage[] = [];
  let [at, start, line] = [0, 0, 0];
  const add = (from: number, to: number, end: number) => {
    let [first, last] = [from, to];
    while (first < last && SIGN.test(text.charAt(first))) first++;
    while (first < last && SIGN.test(text.charAt(last - 1))) last--;
    const previous = passages.at(-1);
    const isEndOfLine = end === text.length || text.slice(to, end).includes('\n');
    if (first < last && (last - first >= SHORT || isEndOfLine)) {
      passages.push({ start, end, line, words: text.slice(first, last) });
      start = end;
    } else if (first === last && previous?.end === start) {
      previous.end = end;
      start = end;
    }
  };
  for (const { 0: sign, index } of text.matchAll(END)) {
    add(at, index, index + sign.length);
    at = index + sign.length;
    line += sign.split('\n').length - 1;
  }
  add(at, text.length, text.length);
  const last = passages.at(-1);
  if (last) last.end = text.length;
  return passages;
}

/**
 * Tells where passages of a text stand in another: those that each has once, and those that have at
 * least half of their words in common with one that is new. Takes linear time.
 *
 * @returns for each passage its index in the other text, {@link GONE} or {@link COPIED}
 */
export function matchPassages(before: readonly Passage[], after: readonly Passage[]): Int32Array {
  const found = new Int32Array(before.length).fill(GONE);
  const taken = new Uint8Array(after.length);
  const match = (index: number, place: number) => {
    found[index] = place;
    taken[place] = 1;
  };
  const places = onlyPlaces(after.map((passage) => [passage.words]));
  const own = onlyPlaces(before.map((passage) => [passage.words]));
  for (const [index, passage] of before.entries()) {
    const place = places.get(passage.words);
    if (place === undefined) continue;
    if (place === COPIED || own.get(passage.words) === COPIED) found[index] = COPIED;
    else match(index, place);
  }
  const left = [...before.keys()].filter((index) => found[index] === GONE);
  const free = [...after.keys()].filter(
    (place) => !taken[place] && !own.has(wordsAt(after, place)),
  );
  const size = [
    ...left.map((index) => wordsAt(before, index)),
    ...free.map((place) => wordsAt(after, place)),
  ].reduce((sum, { length }) => sum + length, 0);
  if (left.length === 0 || free.length === 0 || size > MAX_COMPARED) return found;
  const numbering: Numbering = new Map();
  const cut = (passages: readonly Passage[]) => (index: number) => {
    const all = wordsAt(passages, index);
    return [...words(all, { from: 0, to: all.length }, numbering).keys];
  };
  const [old, fresh] = [left.map(cut(before)), free.map(cut(after))];
  const [marks, freshMarks] = [old.map(marksOf), fresh.map(marksOf)];
  const [onlyOld, onlyFresh] = [onlyPlaces(marks), onlyPlaces(freshMarks)];
  for (const [at, index] of left.entries()) {
    const votes = new Map<number, number>();
    for (const mark of marks[at] as string[]) {
      const place = onlyOld.get(mark) === COPIED ? COPIED : (onlyFresh.get(mark) ?? GONE);
      if (place >= 0) votes.set(place, (votes.get(place) ?? 0) + 1);
    }
    const [best] = [...votes].sort(([, one], [, other]) => other - one)[0] ?? [];
    if (best === undefined || taken[free[best] as number]) continue;
    if (areAlike(old[at] as number[], fresh[best] as number[])) match(index, free[best] as number);
  }
  return found;
}

/**
 * Puts a text in the order in which another has its passages.
 *
 * @returns the ranges of the text in that order; one, if no passage was moved
 */
export function inOrderOf(before: string, after: string): Range[] {
  const [passages, others] = [passagesOf(before), passagesOf(after)];
  const found = matchPassages(passages, others);
  matchNeighbours(found, passages, others);
  const known = [...passages.keys()].filter((index) => (found[index] as number) >= 0);
  const rising = longestRising(known.map((index) => found[index] as number));
  const staying = new Set(rising.map((position) => known[position] as number));
  if (staying.size === known.length) return [{ start: 0, end: before.length }];
  /** The passages that were moved, by the one that stays before them. */
  const movedBehind = new Map<number, number[]>();
  let stays = -1;
  for (const index of known.sort(
    (one, other) => (found[one] as number) - (found[other] as number),
  )) {
    const behind = movedBehind.get(stays);
    if (staying.has(index)) stays = index;
    else if (behind) behind.push(index);
    else movedBehind.set(stays, [index]);
  }
  const isMoved = (index: number) => (found[index] as number) >= 0 && !staying.has(index);
  const order = [...(movedBehind.get(-1) ?? [])];
  for (const index of passages.keys()) {
    if (!isMoved(index)) order.push(index, ...(movedBehind.get(index) ?? []));
  }
  return order.map((index) => passages[index] as Passage).map(({ start, end }) => ({ start, end }));
}

/** Matches also passages of which there are copies, where those beside them stand. */
function matchNeighbours(
  found: Int32Array,
  before: readonly Passage[],
  after: readonly Passage[],
): void {
  const taken = new Set(found);
  const match = (index: number, beside: 1 | -1) => {
    const place = (found[index + beside] ?? GONE) - beside;
    const isFree = (found[index] as number) < 0 && place >= 0 && !taken.has(place);
    if (!isFree || before[index]?.words !== after[place]?.words) return;
    found[index] = place;
    taken.add(place);
  };
  for (let index = 1; index < before.length; index++) match(index, -1);
  for (let index = before.length - 2; index >= 0; index--) match(index, 1);
}

/** Tells for items of several lists which of the lists has them, or that several do. */
function onlyPlaces(lists: readonly (readonly string[])[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, items] of lists.entries()) {
    for (const item of items) places.set(item, places.has(item) ? COPIED : place);
  }
  return places;
}

function wordsAt(passages: readonly Passage[], index: number): string {
  return (passages[index] as Passage).words;
}

/** What a passage can be known by: its words, and each two that follow one another. */
function marksOf(words: readonly number[]): string[] {
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
  return [...new Set([...words.map(String), ...pairs])];
}

/** Tells whether two passages share half of the words of the longer one. */
function areAlike(one: readonly number[], other: readonly number[]): boolean {
  const counts = new Map<number, number>();
  for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of other) {
    const left = counts.get(word) ?? 0;
    if (left > 0) shared++;
    counts.set(word, left - 1);
  }
  return shared * 2 >= Math.max(one.length, other.length);
}
