import { fold } from './alike.ts';
import { equalAround } from './equal-around.ts';
import { occurrences } from './occurrences.ts';
import type { Range } from './port.ts';

/** A quote. The text on either side, if known, tells several occurrences apart. */
export interface QuoteInput {
  quote: string;
  prefix?: string;
  suffix?: string;
}

/**
 * Where a quote is, or why that is unknown. `count` is the number of occurrences, at most 1,000.
 */
export type QuoteSearch = Range | { problem: 'none' | 'several'; count: number };

export const isFound = (search: QuoteSearch): search is Range => 'start' in search;

const MAX_OCCURRENCES = 1_000;

/**
 * Finds the only occurrence of a quote. If there are several, returns the one with the most equal
 * text on both sides; the problem is `several` if two have equally much. Takes linear time.
 *
 * @param isPreferred if true for any occurrence, only those are considered
 */
export function searchQuote(
  text: string,
  { quote, ...around }: QuoteInput,
  isPreferred: (start: number) => boolean = () => true,
): QuoteSearch {
  if (quote === '') return { problem: 'none', count: 0 };
  const all: number[] = [];
  for (const start of occurrences(text, quote)) {
    all.push(start);
    if (all.length === MAX_OCCURRENCES) break;
  }
  const preferred = all.filter(isPreferred);
  const [best, next] = (preferred.length > 0 ? preferred : all)
    .map((start) => ({ start, end: start + quote.length }))
    .map((range) => ({ ...range, equal: equalAround(text, range, around) }))
    .sort((one, other) => other.equal - one.equal || one.start - other.start);
  if (!best) return { problem: 'none', count: 0 };
  if (next && next.equal === best.equal) return { problem: 'several', count: all.length };
  return { start: best.start, end: best.end };
}

/** A text without white space, and the source of each unit. */
export interface Squeezed {
  text: string;
  /** The source range of each unit. */
  starts: Int32Array;
  ends: Int32Array;
}

/** Collects a squeezed text from parts of a source. */
export interface SqueezedBuilder {
  /** How many units there are so far. */
  length(): number;
  /** Adds a part that stands in the source as it is, except for white space. */
  add(part: string, sourceStart: number): void;
  /** Adds a part that the source writes differently, such as an entity. */
  addAs(part: string, source: Range): void;
  done(): Squeezed;
}

export function squeezedBuilder(): SqueezedBuilder {
  const parts: string[] = [];
  // Lists of numbers would take twice the memory, and a copy.
  let starts = new Int32Array(1024);
  let ends = new Int32Array(1024);
  let length = 0;
  const push = (start: number, end: number) => {
    if (length === starts.length) [starts, ends] = [twice(starts), twice(ends)];
    starts[length] = start;
    ends[length] = end;
    length++;
  };
  return {
    length: () => length,
    add(part, sourceStart) {
      for (const match of part.matchAll(NO_SPACE)) {
        parts.push(match[0]);
        for (let index = 0; index < match[0].length; index++) {
          const at = sourceStart + match.index + index;
          push(at, at + 1);
        }
      }
    },
    addAs(part, { start, end }) {
      const text = squeeze(part);
      parts.push(text);
      for (let index = 0; index < text.length; index++) {
        push(start, end);
      }
    },
    done: () => ({
      text: parts.join(''),
      starts: starts.subarray(0, length),
      ends: ends.subarray(0, length),
    }),
  };
}

function twice(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * numbers.length);
  more.set(numbers);
  return more;
}

/** Returns a source without white space. */
export function squeezedSource(source: string): Squeezed {
  const builder = squeezedBuilder();
  builder.add(source, 0);
  return builder.done();
}

const NO_SPACE = /\S{1,1000}/g;

/** Removes all white space. */
function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

/** How much of a long quote's beginning and end to search for, if the whole isn't found. */
const END = 48;

/**
 * Finds a quote in a squeezed text and returns its range in the source. A long quote that isn't
 * found may contain something without source, so its beginning and end are searched for.
 */
export function searchSqueezed(
  { text, starts, ends }: Squeezed,
  input: QuoteInput,
  isPreferred?: (start: number) => boolean,
): QuoteSearch {
  const [quote, prefix, suffix] = [
    squeeze(input.quote),
    squeeze(input.prefix ?? ''),
    squeeze(input.suffix ?? ''),
  ];
  const exact = searchQuote(text, { quote, prefix, suffix }, isPreferred);
  const whole = isFound(exact) || exact.count > 0 ? exact : searchAlike();
  const search = isFound(whole) || whole.count > 0 ? whole : searchEnds();
  if (!isFound(search)) return search;
  return { start: starts[search.start] as number, end: ends[search.end - 1] as number };

  /** Searches for the quote with other quotation marks, dashes or forms of letters. */
  function searchAlike(): QuoteSearch {
    const folded = fold(text);
    const input = { quote: fold(quote).text, prefix: fold(prefix).text, suffix: fold(suffix).text };
    const found = searchQuote(
      folded.text,
      input,
      isPreferred && ((at) => isPreferred(folded.sourceOf(at).start)),
    );
    if (!isFound(found)) return found;
    return {
      start: folded.sourceOf(found.start).start,
      end: folded.sourceOf(found.end - 1).end,
    };
  }

  function searchEnds(): QuoteSearch {
    if (quote.length < 2 * END) return whole;
    const first = searchQuote(text, { quote: quote.slice(0, END), prefix }, isPreferred);
    const last = searchQuote(text, { quote: quote.slice(-END), suffix });
    if (!isFound(first) || !isFound(last)) return whole;
    const length = last.end - first.start;
    const isPlausible = length > 0.8 * quote.length && length < 1.2 * quote.length;
    return isPlausible ? { start: first.start, end: last.end } : whole;
  }
}
