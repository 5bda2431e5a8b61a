import { type Change, changes } from './changes.ts';
import { bestWindows, likeness } from './closest.ts';
import { searchAll } from './passage-search.ts';
import { isBetweenWords, isChance, type Numbering, words } from './pieces.ts';
import { createPort, type Range } from './port.ts';

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

/**
 * A shorter passage can be a common phrase. It counts as found only if it occurs exactly, and has
 * this length together with the equal text around it.
 */
const LEAST_LENGTH = 32;

/** The best occurrence must have this many more equal characters than the next. */
const LEAST_LEAD = 8;

/** The diff may have matched the beginning or end of a moved passage with something else. */
const MARGIN = 64;

/** A passage that grew to more than this many times its quote is not searched for the quote. */
const MAX_GROWTH = 64;

/** How many occurrences of a passage are compared by the text around them. */
const MAX_OCCURRENCES = 64;

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

/**
 * Finds passages that a save inserted again, character by character. At least half of an occurrence
 * must be inserted. It must be the only one, or have clearly more equal text around it than the
 * others. Together with that text it must be {@link LEAST_LENGTH} long, so that a common word isn't
 * mistaken for the passage. A passage that occurs once in the whole text, before and after, is found
 * in any case.
 *
 * Takes linear time for any number of quotes: one search looks for all.
 *
 * @param isOnly tells for a quote whether it was the only one before the save
 */
export function findInserted(
  inserted: Inserted,
  quotes: readonly Quote[],
  isOnly: (index: number) => boolean,
): (Range | undefined)[] {
  const places = quotes.map((): number[] => []);
  const { text, ranges } = inserted;
  const isInserted = insertedCounter(inserted);
  const found = (index: number, at: number): boolean => {
    const { length } = (quotes[index] as Quote).quote;
    const list = places[index] as number[];
    if (isInserted({ start: at, end: at + length }) * 2 >= length) list.push(at);
    return list.length < MAX_OCCURRENCES;
  };
  const passages = quotes.map(({ quote }) => quote);
  searchAll(text, widened(ranges, MARGIN, text.length), passages, found);
  const onlyPlaces = findOnly(text, passages);
  return quotes.map((quote, index) => {
    const place = uniquePlace(text, quote, places[index] as number[]);
    const only = onlyPlaces[index];
    if (place || only === undefined || !isOnly(index)) return place;
    return isChance(quote.quote) ? undefined : { start: only, end: only + quote.quote.length };
  });
}

/** Finds where those of some passages begin that occur only once in a text. Takes linear time. */
export function findOnly(text: string, passages: readonly string[]): (number | undefined)[] {
  const first = new Map<number, number>();
  const several = new Set<number>();
  searchAll(text, [{ start: 0, end: text.length }], passages, (index, at) => {
    if (first.has(index)) several.add(index);
    else first.set(index, at);
    return !several.has(index);
  });
  return passages.map((_, index) => (several.has(index) ? undefined : first.get(index)));
}

/**
 * Finds where kept passages went, if the diff matched one with an equal passage elsewhere: there is
 * a place with clearly more of the text that was around the passage, and at the diff's place
 * neither side of it is the same.
 *
 * @param quotes each with the text around it before the save
 */
export function findTrue(
  text: string,
  quotes: readonly (Quote & { start: number })[],
): (Range | undefined)[] {
  const doubtful = [...quotes.keys()].filter((index) => isStrange(text, quotes[index] as Moved));
  const places = doubtful.map((): number[] => []);
  const passages = doubtful.map((index) => (quotes[index] as Moved).quote);
  searchAll(text, [{ start: 0, end: text.length }], passages, (index, at) => {
    const list = places[index] as number[];
    list.push(at);
    return list.length < MAX_OCCURRENCES;
  });
  const found: (Range | undefined)[] = quotes.map(() => undefined);
  for (const [position, index] of doubtful.entries()) {
    const quote = quotes[index] as Moved;
    const place = uniquePlace(text, quote, places[position] as number[]);
    if (!place || place.start === quote.start) continue;
    const gain = equalAround(text, quote, place.start) - equalAround(text, quote, quote.start);
    if (gain >= LEAST_GAIN && !isStrange(text, { ...quote, start: place.start })) {
      found[index] = place;
    }
  }
  return found;
}

type Moved = Quote & { start: number };

/** Another place of an equal passage must have this many more equal characters around it. */
const LEAST_GAIN = 12;

/** How many equal characters beside a passage say that it is still the same place. */
const SAME_SIDE = 12;

/** Tells whether on both sides of a passage there is other text than before. */
function isStrange(text: string, { quote, prefix, suffix, start }: Moved): boolean {
  const before = equalAround(text, { quote: '', prefix, suffix: '' }, start);
  const after = equalAround(text, { quote: '', prefix: '', suffix }, start + quote.length);
  const isOther = (equal: number, side: string) => equal < Math.min(SAME_SIDE, side.length);
  const [atStart, atEnd] = [prefix === '' && start > 0, start + quote.length < text.length];
  return (
    (prefix === '' ? atStart : isOther(before, prefix)) &&
    (suffix === '' ? atEnd : isOther(after, suffix))
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
    const port = createPort(quote, changes(quote, text.slice(start, end)));
    const part = port({ start: 0, end: quote.length });
    return { start: start + part.start, end: start + part.end };
  }
}

/** Returns the only place, or the one with clearly the most equal text around it. */
function uniquePlace(text: string, quote: Quote, places: readonly number[]): Range | undefined {
  const { length } = quote.quote;
  const [best, next] = places
    .map((start) => ({ start, equal: equalAround(text, quote, start) }))
    .sort((one, other) => other.equal - one.equal || one.start - other.start);
  if (!best || (next && best.equal - next.equal < LEAST_LEAD)) return undefined;
  const all = quote.prefix.length + length + quote.suffix.length;
  if (best.equal < Math.min(LEAST_LENGTH, all)) return undefined;
  return { start: best.start, end: best.start + length };
}

/** Counts the characters of the quote and of the equal text on either side of an occurrence. */
function equalAround(text: string, { quote, prefix, suffix }: Quote, start: number): number {
  const end = start + quote.length;
  let before = 0;
  while (
    before < Math.min(prefix.length, start) &&
    text[start - 1 - before] === prefix[prefix.length - 1 - before]
  ) {
    before++;
  }
  let after = 0;
  while (after < suffix.length && text[end + after] === suffix[after]) after++;
  return before + quote.length + after;
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
    for (let size = Math.max(1, count - 1); size <= count + 1; size++) {
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
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle] as Range).end <= start) low = middle + 1;
      else high = middle;
    }
    let count = 0;
    for (let range = ranges[low]; range && range.start < end; range = ranges[++low]) {
      count += Math.min(end, range.end) - Math.max(start, range.start);
    }
    return count;
  };
}

/** Widens ranges on both sides and joins those that then overlap. */
function widened(ranges: readonly Range[], by: number, length: number): Range[] {
  const wide: Range[] = [];
  for (const { start, end } of ranges) {
    const last = wide.at(-1);
    const from = Math.max(0, start - by);
    const to = Math.min(length, end + by);
    if (last && from <= last.end) last.end = to;
    else wide.push({ start: from, end: to });
  }
  return wide;
}
