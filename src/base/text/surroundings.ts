import { likeness } from './closest.ts';
import { firstIndex } from './first-index.ts';
import { searchAll } from './passage-search.ts';
import { isChance } from './pieces.ts';
import type { Range } from './port.ts';

/** The words beside a passage. A sentence ends at its line's end, too, and at a tag of HTML. */
export interface Surroundings {
  /** The rest of its sentence. */
  before: string;
  after: string;
  /** The nearest other sentences; empty if there is none. */
  previous: string;
  next: string;
  /** The heading above of each level. */
  headings: readonly string[];
}

/** How far surroundings reach on either side, in UTF-16 code units. */
export const REACH = 160;

const SENTENCE_END = /[\r\n]+|(?<=[.!?…])\s+|(?<=[。！？])|<[a-z!/][^<>]*>/i;

/** A heading of a brief or a page, up to {@link REACH} long; or a block of code, which has none. */
const HEADING =
  /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))|^ {0,3}#{1,6}[ \t].{0,160}|<h[1-6][^<>]{0,160}>[^<]{0,160}/gim;

/** A text in which what is around passages can be read. */
export interface TextAround {
  text: string;
  /**
   * @param reach on either side, in UTF-16 code units
   * @param isOther tells which sentences are neighbours
   */
  around(range: Range, reach?: number, isOther?: (sentence: string) => boolean): Surroundings;
}

/** Prepares to read what is around passages. Takes linear time, and little for each passage. */
export function surroundingsIn(text: string): TextAround {
  const headings = [{ index: -1, path: [] as string[] }];
  for (const { 0: line, 1: fence, index } of text.matchAll(HEADING)) {
    if (fence) continue;
    const level = /#+/.exec(line)?.[0].length ?? Number(line[2]);
    const path = headings.at(-1)?.path.slice(0, level - 1) ?? [];
    while (path.length < level - 1) path.push('');
    path.push(line);
    headings.push({ index, path });
  }
  const isWords = (sentence: string) => !isChance(sentence);
  const around: TextAround['around'] = ({ start, end }, reach = REACH, isOther = isWords) => {
    const below = firstIndex(headings.length, (at) => (headings[at]?.index ?? 0) >= start);
    const [above, next] = [headings[below - 1], headings[below]];
    const from = Math.max(start - reach, above?.index ?? 0, 0);
    const left = text.slice(from, start).split(SENTENCE_END);
    // The passage's last character can end its sentence.
    const last = end > start ? end - 1 : end;
    const to = next ? next.index + (next.path.at(-1) ?? '').length : text.length;
    const right = text.slice(last, Math.min(end + reach, Math.max(end, to))).split(SENTENCE_END);
    return {
      before: left.pop()?.trim() ?? '',
      after: (right.shift() ?? '').slice(end - last).trim(),
      previous: left.findLast(isOther)?.trim() ?? '',
      next: right.find(isOther)?.trim() ?? '',
      headings: above?.path ?? [],
    };
  };
  return { text, around };
}

/** How many words of the sentences on either side are in a mark. */
const WORDS_BESIDE = 3;

/** How far equal passages are told from one another, in UTF-16 code units. */
const BESIDE = 32;

/**
 * Describes where passages are by what is around them: their sentences, the nearest words of those on
 * either side, the heading above, and which they are if there are several with the same around them. A change elsewhere
 * in the text doesn't change that. Takes linear time for any number of passages.
 */
export function marksOf(text: string, ranges: readonly Range[]): string[] {
  const windows = ranges.map(({ start, end }) => {
    const from = Math.max(0, start - BESIDE);
    return { from, part: text.slice(from, end + BESIDE) };
  });
  const equal = ranges.map(() => ({ before: 0, all: 0 }));
  const parts = windows.map(({ part }) => part);
  searchAll(text, [{ start: 0, end: text.length }], parts, (index, at) => {
    const count = equal[index] as { before: number; all: number };
    count.all++;
    if (at < (windows[index] as { from: number }).from) count.before++;
    return true;
  });
  const { around } = surroundingsIn(text);
  return ranges.map((range, index) => {
    const read = around(range, REACH, (sentence) => sentence.trim() !== '');
    const { before, after, previous, next, headings } = read;
    const heading = headings.at(-1) ?? '';
    const beside = [
      previous.split(/\s+/).slice(-WORDS_BESIDE),
      next.split(/\s+/).slice(0, WORDS_BESIDE),
    ];
    const passage = text.slice(range.start, range.end);
    return JSON.stringify([passage, before, after, beside, heading, equal[index]]);
  });
}

/** What speaks for one of several equal passages being the one that was meant. */
export interface Evidence {
  /** The more, the better: the whole sentence counts most, then its words, then its neighbours. */
  weight: number;
  /** The part of it that comes from the neighbours; at most {@link PREVIOUS} + {@link NEXT}. */
  neighbours: number;
  /** Whether the sentence alone says that it is the same place. */
  isSame: boolean;
}

const WHOLE = 12;
const WORDS = 6;
/** A heading is above. */
const PREVIOUS = 2;
const NEXT = 0.9;
const HEADINGS = 2;

/** Sentences that are less alike are others. */
const LEAST_ALIKE = 0.6;

/** The same sentence, with the same one before it, below the same headings. */
export const SURE = WHOLE + PREVIOUS + HEADINGS;

/** How much of a sentence a passage must be to be it, whatever the rest is. */
const MOST = 0.75;

/** Compares what was and what is around equal passages of `length` UTF-16 code units. */
export function compareSurroundings(
  one: Surroundings,
  other: Surroundings,
  length: number,
): Evidence {
  const isWhole = one.before === other.before && one.after === other.after;
  const sizes =
    Math.max(one.before.length, other.before.length) +
    Math.max(one.after.length, other.after.length);
  const errors = isWhole
    ? 0
    : differing(one.before, other.before) + differing(one.after, other.after);
  const words = 1 - errors / Math.max(1, sizes);
  const neighbours =
    PREVIOUS * alikeIfSame(one.previous, other.previous) + NEXT * alikeIfSame(one.next, other.next);
  const isLike = words >= LEAST_ALIKE;
  return {
    weight:
      (isWhole ? WHOLE : isLike ? WORDS * words : 0) +
      neighbours +
      HEADINGS * shareOf(one.headings, other.headings),
    neighbours,
    isSame: isLike || 1 - errors / (sizes + length) >= MOST,
  };
}

/** Returns how many characters differ. */
function differing(one: string, other: string): number {
  return one === other ? 0 : (1 - likeness(one, other)) * Math.max(one.length, other.length);
}

function alikeIfSame(one: string, other: string): number {
  if (one === '' || other === '') return 0;
  const alike = one === other ? 1 : likeness(one, other);
  return alike >= LEAST_ALIKE ? alike : 0;
}

/** Returns which share of headings are the same; other ones than the whole path count half. */
function shareOf(one: readonly string[], other: readonly string[]): number {
  const length = Math.max(one.length, other.length);
  const same = one.filter((heading, level) => heading === other[level]).length;
  return same === length ? 1 : same / length / 2;
}
