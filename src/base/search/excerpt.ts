import { characterStart } from '../text/character-start.ts';
import type { SearchQuery, SearchTerm } from './search-query.ts';
import { type Excerptible, plainText } from './search-text.ts';
import { type FoundWord, findWords, formsOf } from './search-words.ts';
import { type IsOver, noLimit, whileInTime } from './time-budget.ts';
import {
  type Closeness,
  closenessOf,
  isLongPhrase,
  nameCloseness,
  PhraseFinder,
} from './word-match.ts';

const LENGTH = 158;
const BEFORE_MATCH = 40;

/** How far after a match a better one is looked for, in characters. */
const MAX_AHEAD = 20_000;

/** Part of a text and the ranges of matches in it, from the first index to before the second. */
export interface Excerpt {
  /** At most 160 UTF-16 code units, including the ellipsis where text was cut. */
  text: string;
  matches: [start: number, end: number][];
}

/** What to mark: what a query wants, and words that were taken for misspelled ones. */
export type Marked = Pick<SearchQuery, 'wanted'> & { corrections: readonly string[] };

interface Match {
  start: number;
  end: number;
  closeness: Closeness;
  /** What it matches; absent for a word that was taken for a misspelled one. */
  term?: SearchTerm | undefined;
}

/**
 * Returns the text around a document's best match, or its beginning if there is none or time runs
 * out first. The best has most of the words that aren't frequent ones close to each other, and among
 * these, whole words and those that are rare in the text.
 */
export function excerptOf(written: Excerptible, query: Marked, isOver: IsOver = noLimit): Excerpt {
  const text = plainText(written, isOver);
  let first: Match | undefined;
  const candidates: Match[] = [];
  for (const match of matchesIn(text, query, isOver)) {
    first ??= match;
    if (match.term?.isCommon) continue;
    if (match.start > (candidates[0]?.start ?? match.start) + MAX_AHEAD) break;
    candidates.push(match);
  }
  return excerptAround(text, query, bestOf(candidates) ?? first);
}

/** Returns the first of the matches whose surroundings have the most. */
function bestOf(matches: readonly Match[]): Match | undefined {
  const counts = new Map<Match['term'], number>();
  for (const { term } of matches) counts.set(term, (counts.get(term) ?? 0) + 1);
  let best: Match | undefined;
  let most = 0;
  for (const [index, first] of matches.entries()) {
    const worth = new Map<Match['term'], number>();
    for (let at = index; at < matches.length; at++) {
      const { term, closeness, end } = matches[at] as Match;
      if (end > first.start + LENGTH - BEFORE_MATCH) break;
      const own = (closeness === 'whole' ? 1 : 0.75) + 0.5 / (counts.get(term) ?? 1);
      worth.set(term, Math.max(worth.get(term) ?? 0, own));
    }
    const all = worth.values().reduce((sum, own) => sum + own, 0);
    if (all > most) [best, most] = [first, all];
  }
  return best;
}

/** Yields the matches of a text; some overlap. */
function* matchesIn(
  text: string,
  { wanted, corrections }: Marked,
  isOver: IsOver,
): Generator<Match> {
  const terms = wanted.flat();
  const phrases = terms.filter(isLongPhrase);
  const finder = new PhraseFinder(phrases.map(({ words }) => words));
  const others = terms.filter((term) => !isLongPhrase(term));
  for (const word of whileInTime(findWords(text), isOver)) {
    for (const { start, end, phrase } of finder.read(word)) {
      yield { start, end, closeness: 'whole', term: phrases[phrase] };
    }
    const { start, end } = word;
    const forms = formsOf(word);
    let found: Match | undefined;
    for (const term of others) {
      const closeness = closenessFor(term, word, forms);
      if (closeness && (closeness === 'whole' || !found)) found = { start, end, closeness, term };
      if (closeness === 'whole') break;
    }
    if (corrections.some((correction) => forms.includes(correction))) {
      found = { start, end, closeness: 'whole' };
    }
    if (found) yield found;
  }
}

function closenessFor(
  term: SearchTerm,
  word: FoundWord,
  forms: readonly string[],
): Closeness | undefined {
  let found: Closeness | undefined;
  for (const index of term.words.keys()) found = closer(found, closenessOf(term, index, forms));
  if (term.name === undefined) return found;
  if (term.isUnspaced) return closer(found, nameCloseness(term, forms));
  // A part of a name isn't the name.
  return nameCloseness(term, forms) ?? (word.isName ? undefined : found && 'partly');
}

function closer(one: Closeness | undefined, other: Closeness | undefined): Closeness | undefined {
  return one === 'whole' ? one : (other ?? one);
}

function excerptAround(text: string, query: Marked, first: Match | undefined): Excerpt {
  const start = beginningOf(text, first?.start ?? 0);
  const end = endOf(text, start);
  const part = text.slice(start, end);
  const matches = [...matchesIn(part, query, noLimit)].map(({ start, end }): [number, number] => [
    start,
    end,
  ]);
  // Without its surroundings, a word may be split differently.
  if (first) matches.push([first.start - start, Math.min(first.end, end) - start]);
  const before = start > 0 ? '…' : '';
  return {
    text: before + part + (end < text.length ? '…' : ''),
    matches: united(matches).map(([from, to]) => [from + before.length, to + before.length]),
  };
}

/** Unites overlapping ranges, and sorts them. */
function united(ranges: readonly [number, number][]): [number, number][] {
  const found: [number, number][] = [];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = found.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** Returns an index some way before a match, at the start of a word if possible. */
function beginningOf(text: string, place: number): number {
  const earliest = Math.max(0, place - BEFORE_MATCH);
  if (earliest === 0) return 0;
  const space = text.indexOf(' ', earliest);
  return space >= 0 && space < place ? space + 1 : characterStart(text, earliest);
}

/** Returns the end of the last word that fits, or else of the last character. */
function endOf(text: string, start: number): number {
  const latest = start + LENGTH;
  if (latest >= text.length) return text.length;
  const space = text.lastIndexOf(' ', latest);
  return space > start + LENGTH / 2 ? space : characterStart(text, latest);
}
