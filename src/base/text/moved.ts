import { type Change, changes } from './changes.ts';
import { bestWindows, likeness } from './closest.ts';
import { equalAround } from './equal-around.ts';
import { firstIndex } from './first-index.ts';
import { searchAll } from './passage-search.ts';
import { isBetweenWords, isChance, type Numbering, words } from './pieces.ts';
import { createPort, type Port, type Range } from './port.ts';
import {
  compareSurroundings,
  type Evidence,
  SURE,
  type Surroundings,
  type TextAround,
} from './surroundings.ts';

/** A passage as it was when it was quoted, with the text on either side. */
export interface Quote {
  quote: string;
  prefix: string;
  suffix: string;
}

export interface Inserted {
  text: string;
  /** Ranges of the new text, in order and disjoint. */
  ranges: readonly Range[];
}

/** A shorter passage can be a common phrase: alone, it says nothing. */
const LEAST_LENGTH = 32;

/** The best occurrence must outweigh the next by this: see {@link Evidence}. */
const LEAST_LEAD = 0.5;

/** What it weighs that the diff leads to a place. */
const LED = 0.25;

/** Neighbours that say that a place is the same, where the diff leads there and elsewhere. */
const ONE_NEIGHBOUR = 0.8;
const BOTH_NEIGHBOURS = 2.4;

/** For how many places of a passage all its equals are asked, not only the one the diff leads there. */
const MAX_CHECKED = 4;

/** A passage that grew to more than this many times its quote is not searched for the quote. */
const MAX_GROWTH = 64;

/** How many occurrences of a passage are looked at, and how many of them closely. */
const MAX_FOUND = 256;
const MAX_OCCURRENCES = 16;

/** If more text than this is inserted, passages are only searched exactly. In UTF-16 code units. */
const MAX_SEARCHED = 100_000;

/** How many windows that share at least half of a passage's words are compared letter by letter. */
const MAX_WINDOWS = 2;

/** Limits on approximate matches: Levenshtein distance per character. */
const MAX_ERRORS = 0.2;
const LEAST_ERRORS_MORE = 0.1;

/** The number of a word that no quote has. */
const OTHER = 0;

/** How many words before and after a window may belong to the passage. */
const WORDS_AROUND = 4;

/** Collects what a save inserted. */
export function insertedBy(text: string, changes: readonly Change[]): Inserted {
  const ranges: Range[] = [];
  let shift = 0;
  for (const { from, to, insert } of changes) {
    const start = from + shift;
    if (insert !== '') ranges.push({ start, end: start + insert.length });
    shift += insert.length - (to - from);
  }
  return { text, ranges };
}

/** A passage whose place isn't certain. */
export interface Sought extends Quote {
  /** What was around it when it was last seen. */
  around: Surroundings;
  /** How far that was read, in UTF-16 code units. */
  reach: number;
  /** Where it begins in the text before the save, if it is whole there. */
  from: number | undefined;
  /** Where the diff leads, if the same words are there. */
  to: number | undefined;
}

/** A place of the same words; `gone` if they are only where another passage of these words went. */
export interface Place extends Range {
  state: 'kept' | 'moved' | 'gone';
}

/**
 * Finds passages among equal ones. All places with the same words compete, by what is around them:
 * the sentence decides, then its neighbours, then the diff. A place that another of the equal
 * passages of the text before fits better is that one's. A place is `kept` only if it is clearly the
 * best one, and its sentence or its neighbours say that it is the same; otherwise it is a guess.
 *
 * Takes linear time for any number of passages: one search looks for all.
 *
 * @param port carries a passage from the text before to the one after
 * @returns for each passage, its place; `undefined` if nothing speaks for any
 */
export function findPassages(
  before: TextAround,
  after: TextAround,
  port: Port,
  passages: readonly Sought[],
): (Place | undefined)[] {
  const [old, now] = [before, after].map(({ text }) => nearestOccurrences(text, passages)) as [
    number[][],
    number[][],
  ];
  return passages.map((passage, index) => {
    const { quote, around, reach, from, to } = passage;
    const { length } = quote;
    const read = (text: TextAround, start: number) =>
      text.around({ start, end: start + length }, reach);
    const others = (old[index] as number[])
      .filter((start) => start !== from)
      .map((start) => {
        const { state, start: led } = port({ start, end: start + length });
        return { around: read(before, start), led: state === 'kept' ? led : undefined };
      });
    const rate = (was: Surroundings, led: number | undefined, place: Candidate) => {
      const evidence = compareSurroundings(was, place.around, length);
      return led === place.start ? { ...evidence, weight: evidence.weight + LED } : evidence;
    };
    const places = [...new Set([...(to === undefined ? [] : [to]), ...(now[index] as number[])])]
      .map((start) => ({ start, around: read(after, start) }))
      .map((place) => ({ ...place, ...rate(around, to, place) }))
      .sort((one, other) => other.weight - one.weight || one.start - other.start);

    let checks = MAX_CHECKED;
    const isFree = (place: Candidate & Evidence) => {
      const fitsBetter = ({ around: was, led }: (typeof others)[number]) => {
        const { weight } = rate(was, led, place);
        if (weight <= place.weight) return false;
        const own = places.find(({ start }) => start === led);
        return !own || own === place || rate(was, led, own).weight < weight;
      };
      if (others.some((other) => other.led === place.start && fitsBetter(other))) return false;
      return --checks < 0 || !others.some(fitsBetter);
    };
    // If there are more equal passages than were looked at, most places can be one of the others.
    const isPartial = (old[index] as number[]).length === MAX_OCCURRENCES;
    const isOwn = ({ start, weight }: Candidate & Evidence) => start === to || weight >= SURE;
    const free = places.filter((place) => (!isPartial || isOwn(place)) && isFree(place));
    const [best, next] = free;
    const led = free.find(({ start }) => start === to);
    const at = (start: number, state: Place['state']) => ({ start, end: start + length, state });
    if (!best) return to === undefined ? undefined : { start: to, end: to, state: 'gone' };
    const isClear = !next || best.weight - next.weight >= LEAST_LEAD;
    if (best !== led && isClear && (best.isSame || best.neighbours >= BOTH_NEIGHBOURS)) {
      return at(best.start, 'kept');
    }
    const isOnly = from !== undefined && others.length === 0 && places.length === 1;
    if (led) {
      const isLikely = led === best && (isOnly || led.isSame || led.neighbours >= ONE_NEIGHBOUR);
      return at(led.start, isLikely ? 'kept' : 'moved');
    }
    const isKnown =
      (best.isSame && (isClear || !isPartial)) || ((isOnly || length >= LEAST_LENGTH) && isClear);
    return isKnown && !isChance(quote) ? at(best.start, 'moved') : undefined;
  });
}

interface Candidate {
  start: number;
  around: Surroundings;
}

/**
 * Finds where passages occur in a text; of many occurrences, the {@link MAX_OCCURRENCES} with the
 * most equal text around them.
 */
function nearestOccurrences(text: string, passages: readonly Quote[]): number[][] {
  const found = passages.map((): { at: number; equal: number }[] => []);
  const all = [{ start: 0, end: text.length }];
  const quotes = passages.map(({ quote }) => quote);
  searchAll(text, all, quotes, (index, at) => {
    const list = found[index] as { at: number; equal: number }[];
    const { quote, ...around } = passages[index] as Quote;
    const end = at + quote.length;
    list.push({ at, equal: equalAround(text, { start: at, end }, around) + quote.length });
    return list.length < MAX_FOUND;
  });
  return found.map((list) =>
    list
      .sort((one, other) => other.equal - one.equal || one.at - other.at)
      .slice(0, MAX_OCCURRENCES)
      .map(({ at }) => at),
  );
}

/** Finds the only occurrence of a quote that contains what is left of it, or is inside it. */
export function findAround(text: string, quote: string, { start, end }: Range): Range | undefined {
  if (quote === '' || end - start > MAX_GROWTH * quote.length) return undefined;
  const from = Math.max(0, Math.min(start, end - quote.length));
  const part = text.slice(from, Math.max(end, start + quote.length));
  const at = part.indexOf(quote);
  if (at < 0 || part.lastIndexOf(quote) !== at) return undefined;
  return { start: from + at, end: from + at + quote.length };
}

/**
 * Prepares to find changed passages in what a save inserted: with at most 20 % errors, and clearly
 * better than any other. Only for quotes of at least {@link LEAST_LENGTH}, in at most
 * {@link MAX_SEARCHED} inserted characters.
 *
 * Compares by words first, then letter by letter at the best places. (`approx-string-match` takes
 * quadratic time where many places match.)
 */
export function createAlikeSearch({
  text,
  ranges,
}: Inserted): (quote: string) => Range | undefined {
  const numbering: Numbering = new Map([[' ', OTHER]]);
  const starts: number[] = [];
  const ends: number[] = [];
  const keyList: number[] = [];
  const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  if (total >= LEAST_LENGTH && total <= MAX_SEARCHED) {
    for (const { start, end } of ranges) {
      const pieces = words(text, { from: start, to: end }, numbering);
      for (const [index, key] of pieces.keys.entries()) {
        keyList.push(key);
        starts.push(pieces.starts[index] as number);
        ends.push(pieces.starts[index + 1] as number);
      }
    }
  }
  const keys = Int32Array.from(keyList);

  return (quote) => {
    if (keys.length === 0 || quote.trim().length < LEAST_LENGTH) return undefined;
    if (isChance(quote)) return undefined;
    const wanted = words(quote, { from: 0, to: quote.length }, numbering).keys;
    const best = bestIn(keys, quote, wanted);
    if (!best || 1 - best.alike > MAX_ERRORS) return undefined;
    const rest = keys.map((key, index) =>
      (ends[index] as number) > best.start && (starts[index] as number) < best.end ? OTHER : key,
    );
    const next = bestIn(rest, quote, wanted);
    if (next && best.alike - next.alike < LEAST_ERRORS_MORE) return undefined;
    return { start: best.start, end: best.end };
  };

  function bestIn(words: Int32Array, quote: string, wanted: Int32Array) {
    const size = Math.min(wanted.length, words.length);
    const [best] = bestWindows(words, wanted, size, numbering.size)
      .filter(({ start, shared }) => 2 * shared >= size && words[start + (size >> 1)] !== OTHER)
      .sort((one, other) => other.shared - one.shared || one.start - other.start)
      .slice(0, MAX_WINDOWS)
      .map(({ start }) => fitted(quote, around(words, start, size)))
      .map((range) => ({ ...range, alike: likeness(text.slice(range.start, range.end), quote) }))
      .sort((one, other) => other.alike - one.alike || one.start - other.start);
    return best;
  }

  /**
   * Returns the text of a window and a few words more, from the inserted range its middle is in.
   */
  function around(words: Int32Array, window: number, size: number): Range {
    const middle = window + (size >> 1);
    let [first, last] = [middle, middle];
    const least = Math.max(0, window - WORDS_AROUND);
    const most = Math.min(words.length, window + size + WORDS_AROUND) - 1;
    const follows = (index: number) => words[index] !== OTHER && ends[index - 1] === starts[index];
    while (first > least && follows(first) && words[first - 1] !== OTHER) first--;
    while (last < most && follows(last + 1)) last++;
    return { start: starts[first] as number, end: ends[last] as number };
  }

  /** Narrows a range to the part that matches the quote. */
  function fitted(quote: string, { start, end }: Range): Range {
    const found = changes(quote, text.slice(start, end));
    const part = createPort(quote, found)({ start: 0, end: quote.length });
    // At its ends, what replaced words of the quote can't be told from the words beside it.
    const [head, tail] = [found[0], found.at(-1)];
    const before = part.state === 'changed' && head?.from === 0 ? head.insert.length : part.start;
    const after = part.state === 'changed' && tail?.to === quote.length ? tail.insert.length : 0;
    return { start: start + before, end: after > 0 ? end - after : start + part.end };
  }
}

/** Longer passages keep enough words through a correction, or are found as moved ones. */
const MAX_CORRECTED = { length: 80, words: 16 };

/** How alike a corrected passage must be. */
const LEAST_CORRECTED = 0.6;

/**
 * Finds a short passage after a small correction, such as of a typing error, beside its old place:
 * the words in inserted text that are most like it.
 */
export function findCorrected(inserted: Inserted, quote: string, place: Range): Range | undefined {
  const { text } = inserted;
  const count = words(quote, { from: 0, to: quote.length }, new Map()).keys.length;
  const isShort = quote.length <= MAX_CORRECTED.length && count <= MAX_CORRECTED.words;
  if (!isShort || isChance(quote) || place.end - place.start > 4 * MAX_CORRECTED.length) {
    return undefined;
  }
  let start = Math.max(0, place.start - quote.length);
  while (start > 0 && !isBetweenWords(text, start)) start--;
  let end = Math.min(text.length, place.end + quote.length);
  while (end < text.length && !isBetweenWords(text, end)) end++;
  if (end - start > 8 * MAX_CORRECTED.length) return undefined;
  const isInserted = insertedCounter(inserted);
  const { starts } = words(text, { from: start, to: end }, new Map());
  let best = { start, end: start, alike: 0 };
  for (let first = 0; first < starts.length - 1; first++) {
    for (const size of [count, count - 1, count + 1]) {
      const [from, until] = [starts[first], starts[first + size]];
      if (from === undefined || until === undefined) continue;
      const passage = text.slice(from, until).trimEnd();
      const range = { start: from, end: from + passage.length };
      if (passage.length > 2 * quote.length || isInserted(range) === 0) continue;
      const alike = likeness(passage, quote);
      if (alike > best.alike) best = { ...range, alike };
    }
  }
  const { alike, ...range } = best;
  return alike >= LEAST_CORRECTED ? range : undefined;
}

/** Counts how many characters of a range are inserted. */
function insertedCounter({ ranges }: Inserted): (range: Range) => number {
  return ({ start, end }) => {
    let index = firstIndex(ranges.length, (at) => (ranges[at] as Range).end > start);
    let count = 0;
    for (let range = ranges[index]; range && range.start < end; range = ranges[++index]) {
      count += Math.min(end, range.end) - Math.max(start, range.start);
    }
    return count;
  };
}
