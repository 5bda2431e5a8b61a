import { fold } from './alike.ts';
import { occurrences } from './occurrences.ts';
import { type Place, placesOf } from './places.ts';
import type { Range } from './port.ts';

/** A place of a text that has the words, with what stands around it in its line. */
export type FoundPlace = Place & { text: string };

export interface FoundPlaces {
  places: FoundPlace[];
  /** How many there are in all, at most {@link MAX_COUNTED}. */
  count: number;
  /** Where to search on, if `places` has not all. */
  next: Place | null;
}

const MAX_COUNTED = 1_000;

/** How much of the line to show on either side, in UTF-16 code units. */
const AROUND = 120;

/**
 * Finds words in a part of a text. Ignores case, and differences as {@link fold} does. Several
 * places that are shown together in one line count as one. Takes linear time.
 *
 * @param most the most places to return
 */
export function findPlaces(text: string, words: string, part: Range, most: number): FoundPlaces {
  const searched = text.slice(part.start, part.end);
  const { text: folded, sourceOf } = fold(searched);
  const wanted = lower(fold(words).text.trim());
  if (wanted === '') return { places: [], count: 0, next: null };
  const found: Range[] = [];
  let shownTo = 0;
  for (const at of occurrences(lower(folded), wanted)) {
    const start = part.start + sourceOf(at).start;
    if (start < shownTo) continue;
    const end = part.start + sourceOf(at + wanted.length - 1).end;
    const range = around(text, start, end);
    shownTo = range.end;
    found.push({ start, end });
    if (found.length === MAX_COUNTED) break;
  }
  const places = placesOf(
    text,
    found.map(({ start }) => start),
  );
  return {
    places: found.slice(0, most).map(({ start, end }, index) => {
      const shown = around(text, start, end);
      return { ...(places[index] as Place), text: cut(text, shown) };
    }),
    count: found.length,
    next: places[most] ?? null,
  };
}

/** Returns the part of the line around a range to show. */
function around(text: string, start: number, end: number): Range {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineBreak = text.indexOf('\n', start);
  const lineEnd = lineBreak < 0 ? text.length : lineBreak;
  return {
    start: Math.max(lineStart, start - AROUND),
    end: Math.min(lineEnd, Math.min(end, start + AROUND) + AROUND),
  };
}

function cut(text: string, { start, end }: Range): string {
  const isStart = start === 0 || text[start - 1] === '\n';
  const isEnd = end === text.length || text[end] === '\n';
  const shown = text.slice(start, end).toWellFormed().replace(/\r$/, '');
  return `${isStart ? '' : '…'}${shown}${isEnd ? '' : '…'}`;
}

/** Returns a text in lower case, without changing its length. */
function lower(text: string): string {
  const whole = text.toLowerCase();
  if (whole.length === text.length) return whole;
  return text.replaceAll(/\p{Lu}/gu, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  });
}
