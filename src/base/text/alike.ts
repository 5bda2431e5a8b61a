import { limitCombiningMarks } from './combining-marks.ts';
import { occurrences } from './occurrences.ts';
import type { Range } from './port.ts';

/** A text in which signs that look alike are the same. */
export interface Folded {
  text: string;
  /** Returns the source range of a unit. A sign that became several units has one range. */
  sourceOf(index: number): Range;
}

/** Ends of lines, spaces (but for single ones), quotes, dashes, dots and invisible signs. */
const SIGN =
  /\r\n?|[\t\p{Zs}]{2,}|[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]| (?=[\r\n]|$)|[‘’‚‛′“”„‟″«»‐‑‒–—―−…\u00ad\u200b\u2060\ufeff]/gu;

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
  ...[...'\u00ad\u200b\u2060\ufeff'].map((sign): [string, string] => [sign, '']),
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
        : (SIGNS.get(part) ?? limitCombiningMarks(part).normalize()),
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
  const wanted = fold(passage).text;
  if (wanted.trim() === '') return undefined;
  const { text: folded, sourceOf } = fold(text);
  // A part of one sign, such as of three dots, is not the passage.
  const isBetween = (at: number) =>
    at === 0 || at === folded.length || sourceOf(at - 1).start !== sourceOf(at).start;
  const [first, second] = occurrences(folded, wanted)
    .filter((at) => isBetween(at) && isBetween(at + wanted.length))
    .take(2)
    .toArray();
  if (first === undefined || second !== undefined) return undefined;
  return { start: sourceOf(first).start, end: sourceOf(first + wanted.length - 1).end };
}
