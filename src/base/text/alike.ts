import { diffArrays } from 'diff';
import { equalEnds } from './changes.ts';
import { limitCombiningMarks } from './combining-marks.ts';
import { UNCOUNTED } from './invisible.ts';
import { occurrences } from './occurrences.ts';
import type { Range } from './port.ts';

/** A text in which signs that look alike are the same. */
export interface Folded {
  text: string;
  /** Returns the source range of a unit. A sign that became several units has one range. */
  sourceOf(index: number): Range;
}

/** Ends of lines, spaces (but for single ones), quotes, dashes and dots. */
const VISIBLE =
  /\r\n?|[\t\p{Zs}]{2,}|[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]| (?=[\r\n]|$)|[‘’‚‛′“”„‟″«»‐‑‒–—―−…]/u;
const SIGN = new RegExp(`${VISIBLE.source}|${UNCOUNTED}`, 'gu');
const ALL_UNCOUNTED = new RegExp(UNCOUNTED, 'gu');

/** Also letters with marks, whose forms differ (NFC, NFD), and Korean letters, which have none. */
const SIGN_OR_LETTER = new RegExp(
  `${SIGN.source}|[\\u1100-\\u11ff]{1,100}|[^\\p{M}\\n\\r]\\p{M}{1,100}`,
  'gu',
);
const MARK = /[\p{M}\u1100-\u11ff]/u;

const SIGNS: ReadonlyMap<string, string> = new Map([
  ...[...'‘’‚‛′'].map((sign): [string, string] => [sign, "'"]),
  ...[...'“”„‟″«»'].map((sign): [string, string] => [sign, '"']),
  ...[...'‐‑‒–—―−'].map((sign): [string, string] => [sign, '-']),
  ['…', '...'],
  ['\r', '\n'],
  ['\r\n', '\n'],
]);

const isSpace = (part: string) => /^[\t\p{Zs}]/u.test(part);

/**
 * Folds a text: signs that look alike become the same, white space within a line becomes one space,
 * and at its end nothing. Takes linear time.
 */
export function fold(source: string): Folded {
  const parts: string[] = [];
  /** Where the folded signs stand, in the source and in the result: start and end of each. */
  const sources: number[] = [];
  const results: number[] = [];
  let at = 0;
  let length = 0;
  const add = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  for (const { 0: part, index } of source.matchAll(MARK.test(source) ? SIGN_OR_LETTER : SIGN)) {
    add(source.slice(at, index));
    at = index + part.length;
    sources.push(index, at);
    results.push(length);
    add(
      isSpace(part)
        ? spaceBefore(source, at)
        : (SIGNS.get(part) ?? limitCombiningMarks(part).replaceAll(ALL_UNCOUNTED, '').normalize()),
    );
    results.push(length);
  }
  add(source.slice(at));
  return { text: parts.join(''), sourceOf };

  function sourceOf(index: number): Range {
    let [low, high] = [0, results.length / 2];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((results[2 * middle] as number) <= index) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return { start: index, end: index + 1 };
    const [end, sourceEnd] = [results[2 * low - 1] as number, sources[2 * low - 1] as number];
    if (index < end) return { start: sources[2 * low - 2] as number, end: sourceEnd };
    const start = sourceEnd + index - end;
    return { start, end: start + 1 };
  }
}

/** Returns what white space in front of an index counts as. */
function spaceBefore(source: string, index: number): string {
  return index === source.length || source[index] === '\n' || source[index] === '\r' ? '' : ' ';
}

/**
 * Finds the passage of a text that differs from a given one at most as {@link fold} says.
 *
 * @returns its range; `undefined` if there is none, or more than one
 */
export function findAlike(text: string, passage: string): Range | undefined {
  const [first, second] = allAlike(text, passage).take(2).toArray();
  return second === undefined ? first : undefined;
}

/** Finds all passages of a text that differ from a given one at most as {@link fold} says. */
export function* allAlike(text: string, passage: string): Generator<Range> {
  const wanted = fold(passage).text;
  if (wanted.trim() === '') return;
  const folded = fold(text);
  // A part of one sign, such as of three dots, is not the passage.
  for (const at of occurrences(folded.text, wanted)) {
    const last = at + wanted.length;
    if (!isBetween(folded, at) || !isBetween(folded, last)) continue;
    yield { start: folded.sourceOf(at).start, end: folded.sourceOf(last - 1).end };
  }
}

function isBetween({ text, sourceOf }: Folded, at: number): boolean {
  return at === 0 || at === text.length || sourceOf(at - 1).start !== sourceOf(at).start;
}

/**
 * Replaces a passage that was found although it is written differently: only what differs between
 * the passage as it was given and its replacement. All else stays as it stands.
 *
 * @param own the passage of the text, equal to `given` once both are folded
 */
export function replaceAlike(own: string, given: string, by: string): string {
  const [theirs, ours] = [fold(given), fold(own)];
  if (own === given || theirs.text !== ours.text) return by;
  /** Where both can be cut: `given` at `at`, `own` at `end`, or to go on at `start`. */
  const cuts = [{ at: 0, start: 0, end: 0 }];
  for (let index = 1; index < ours.text.length; index++) {
    if (!isBetween(theirs, index) || !isBetween(ours, index)) continue;
    const at = past(ALL_UNCOUNTED, given, theirs.sourceOf(index - 1).end);
    const { end } = ours.sourceOf(index - 1);
    cuts.push({ at, start: pastLook(own, end), end: past(ALL_UNCOUNTED, own, end) });
  }
  cuts.push({ at: given.length, start: own.length, end: own.length });
  const made: { text: string; isOwn: boolean }[] = [];
  const write = (text: string, isOwn = false) => made.push({ text, isOwn });
  let [read, cut, written] = [0, 0, 0];
  for (const { text, isNew, isGone } of differences(given, by)) {
    if (isNew) write(text);
    if (isNew) continue;
    const to = read + text.length;
    while ((cuts[cut]?.at ?? to) < read) cut++;
    let last = cut;
    while ((cuts[last + 1]?.at ?? to + 1) <= to) last++;
    const [from, until] = [cuts[cut], cuts[last]];
    if (!isGone && from && until && from.at < until.at) {
      const kept = own.slice(Math.max(written, from.start), until.end);
      write(given.slice(read, from.at));
      write(kept, true);
      write(given.slice(until.at, to));
      written = until.end;
    } else if (!isGone) write(text);
    read = to;
  }
  return inWholeQuotes(made, own);
}

const QUOTES = /["'‘’‚‛′“”„‟″«»]/gu;
const CLOSING: ReadonlyMap<string, string> = new Map(['“”', '‘’', '«»', '„“', '‚‘'].map(bothOf));
const OPENING: ReadonlyMap<string, string> = new Map(['”“', '’‘', '»«'].map(bothOf));

function bothOf(pair: string): [string, string] {
  return [pair.charAt(0), pair.charAt(1)];
}

/** Joins parts. Where one quote of a pair is the text's own, the other becomes like it. */
function inWholeQuotes(parts: readonly { text: string; isOwn: boolean }[], own: string): string {
  const signs = parts.flatMap(({ text }) => text.split(''));
  const isOwn = parts.flatMap(({ text, isOwn }) => Array<boolean>(text.length).fill(isOwn));
  const pairs = quotePairs(own).map(([from, to]) => bothOf(own.charAt(from) + own.charAt(to)));
  const [closing, opening] = [new Map(pairs), new Map(pairs.map(([one, other]) => [other, one]))];
  for (const [from, to] of quotePairs(signs.join(''))) {
    const [first, last] = [signs[from] as string, signs[to] as string];
    if (isOwn[from] === isOwn[to]) continue;
    if (isOwn[from]) signs[to] = closing.get(first) ?? CLOSING.get(first) ?? first;
    else signs[from] = opening.get(last) ?? OPENING.get(last) ?? last;
  }
  return signs.join('');
}

/** Returns where quotes that belong together stand, whatever they look like. Takes linear time. */
function quotePairs(text: string): [number, number][] {
  const pairs: [number, number][] = [];
  const open = new Map<string, number>();
  const isLetter = (at: number) => /[\p{L}\p{N}]/u.test(text.charAt(at));
  for (const { 0: quote, index } of text.matchAll(QUOTES)) {
    const sign = SIGNS.get(quote) ?? quote;
    const from = open.get(sign);
    if (from !== undefined && !isLetter(index + 1)) {
      pairs.push([from, index]);
      open.delete(sign);
    } else if (!isLetter(index - 1)) open.set(sign, index);
  }
  return pairs;
}

const LOOK = /[\u20e3\ufe0e\ufe0f]/gu;

/** Returns where what chooses the look of the sign before an index ends. */
export function pastLook(text: string, index: number): number {
  return past(LOOK, text, index);
}

function past(signs: RegExp, text: string, index: number): number {
  let at = index;
  while (at < text.length && text.charAt(at).replace(signs, '') === '') at++;
  return at;
}

/** Signs that look alike, such as two hyphens, are one: half of a dash can't stay. */
const ALIKE = '[-‐‑‒–—―−]{1,1000}|[.…]{1,1000}|[\'‘’‚‛′]{1,1000}|["“”„‟″«»]{1,1000}';
const UNIT = new RegExp(`${ALIKE}|.`, 'gsu');
const WHOLE_UNIT = new RegExp(`^(?:${ALIKE})$`, 'u');

/** Words, and every other unit by itself. */
const PIECE = new RegExp(`[\\p{L}\\p{M}\\p{N}]{1,1000}|${UNIT.source}`, 'gsu');

/** The most differences for which texts are compared by words, and words by letters. */
const MAX_DIFFERENCES = 1_000;

interface Difference {
  text: string;
  /** Whether only one of the two texts has it. */
  isNew: boolean;
  isGone: boolean;
}

function* differences(before: string, after: string): Generator<Difference> {
  const { start, end } = equalEndsOfUnits(before, after);
  const kept = { isNew: false, isGone: false };
  yield { text: before.slice(0, start), ...kept };
  const middles = [before, after].map((text) => text.slice(start, text.length - end));
  const pieces = middles.map((text) => text.match(PIECE) ?? []);
  const words = compared(pieces[0] as string[], pieces[1] as string[]);
  for (let index = 0; index < words.length; index++) {
    const [one, other] = [words[index] as Difference, words[index + 1]];
    if (one.isGone && other?.isNew) {
      index++;
      yield* compared(one.text.match(UNIT) ?? [], other.text.match(UNIT) ?? []);
    } else yield one;
  }
  yield { text: before.slice(before.length - end), ...kept };
}

/** Does what {@link equalEnds} does, and cuts no unit. */
function equalEndsOfUnits(before: string, after: string): { start: number; end: number } {
  let { start, end } = equalEnds(before, after);
  const isCut = (text: string, at: number) =>
    at > 0 && at < text.length && WHOLE_UNIT.test(text.slice(at - 1, at + 1));
  while (isCut(before, start) || isCut(after, start)) start--;
  while (isCut(before, before.length - end) || isCut(after, after.length - end)) end--;
  return { start, end };
}

function compared(before: string[], after: string[]): Difference[] {
  const parts = diffArrays(before, after, { maxEditLength: MAX_DIFFERENCES });
  const part = (pieces: string[], isNew: boolean, isGone: boolean) => ({
    text: pieces.join(''),
    isNew,
    isGone,
  });
  if (!parts) return [part(before, false, true), part(after, true, false)];
  return parts.map(({ value, added, removed }) => part(value, added, removed));
}
