import { characterStart } from '../text/character-start.ts';
import { isWanted, type SearchQuery } from './search-query.ts';
import { type Excerptible, plainText } from './search-text.ts';
import { type FoundWord, findWords } from './search-words.ts';
import { type IsOver, noLimit, whileInTime } from './time-budget.ts';

const LENGTH = 158;
const BEFORE_MATCH = 40;

/** Part of a text and the ranges of matches in it, from the first index to before the second. */
export interface Excerpt {
  /** At most 160 UTF-16 code units, including the ellipsis where text was cut. */
  text: string;
  matches: [start: number, end: number][];
}

/**
 * Returns the text around a document's first match, or its beginning if there is none or time runs
 * out first.
 */
export function excerptOf(
  written: Excerptible,
  query: SearchQuery,
  isOver: IsOver = noLimit,
): Excerpt {
  const text = plainText(written, isOver);
  for (const word of whileInTime(findWords(text), isOver)) {
    if (isMatch(query, word)) return excerptAround(text, query, word);
  }
  return excerptAround(text, query, undefined);
}

function isMatch(query: SearchQuery, { words }: FoundWord): boolean {
  return words.some((word) => isWanted(query, word));
}

function excerptAround(text: string, query: SearchQuery, first: FoundWord | undefined): Excerpt {
  const start = beginningOf(text, first?.start ?? 0);
  const end = endOf(text, start);
  const part = text.slice(start, end);
  const matches = [...findWords(part)]
    .filter((word) => isMatch(query, word))
    .map(({ start, end }): [number, number] => [start, end]);
  // Without its surroundings, a word may be split differently.
  if (first && matches[0]?.[0] !== first.start - start) {
    const whole: [number, number] = [first.start - start, Math.min(first.end, end) - start];
    const others = matches.filter(([from]) => from >= whole[1]);
    matches.splice(0, matches.length, whole, ...others);
  }
  const before = start > 0 ? '…' : '';
  return {
    text: before + part + (end < text.length ? '…' : ''),
    matches: matches.map(([from, to]) => [from + before.length, to + before.length]),
  };
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
