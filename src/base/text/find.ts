import type { Kind } from '../schema/kind.ts';
import { fold } from './alike.ts';
import { occurrences } from './occurrences.ts';
import { pageRanges, visibleText } from './page-quotes.ts';
import { type Place, placesOf } from './places.ts';
import type { Range } from './port.ts';

/**
 * A place of a text that has the words, with what stands around it in its line. `isShown`: only the
 * visible text of the page has them so, not its source.
 */
export type FoundPlace = Place & { text: string; isShown?: true };

export interface FoundPlaces {
  places: FoundPlace[];
  /** How many there are in all, at most {@link MAX_COUNTED}. */
  count: number;
  /** Where to search on, if `places` has not all. */
  next: Place | null;
}

const MAX_COUNTED = 1_000;

/** How many places of a page's visible text are compared with the source. */
const MAX_LOOKED_AT = 100 * MAX_COUNTED;

/** How much of the line to show on either side, in UTF-16 code units. */
const AROUND = 120;

/**
 * Finds words in a part of a text, in a page also where only its visible text has them: with markup
 * or references between. Ignores case, and differences as {@link fold} does. Several places that are
 * shown together in one line count as one. Takes linear time.
 *
 * @param most the most places to return
 */
export function findPlaces(
  text: string,
  words: string,
  part: Range,
  most: number,
  kind: Kind = 'brief',
): FoundPlaces {
  const wanted = lower(fold(words).text.trim());
  if (wanted === '') return { places: [], count: 0, next: null };
  const inSource = rangesOf(text, wanted, part);
  const shown = kind === 'page' ? shownRanges(text, wanted, part) : [];
  const all: (Range & { isShown?: true })[] = inSource
    .concat(shown.map((range) => ({ ...range, isShown: true as const })))
    .sort((one, other) => one.start - other.start);
  const found: typeof all = [];
  let shownTo = 0;
  for (const range of all) {
    if (range.start < shownTo) continue;
    shownTo = around(text, range.start, range.end).end;
    found.push(range);
    if (found.length === MAX_COUNTED) break;
  }
  const places = placesOf(
    text,
    found.map(({ start }) => start),
  );
  return {
    places: found.slice(0, most).map(({ start, end, isShown }, index) => ({
      ...(places[index] as Place),
      text: cut(text, around(text, start, end)),
      ...(isShown && { isShown }),
    })),
    count: found.length,
    next: places[most] ?? null,
  };
}

/** Returns where the source has the words; of several in one line that are shown together, one. */
function rangesOf(text: string, wanted: string, part: Range): Range[] {
  const { text: folded, sourceOf } = fold(text.slice(part.start, part.end));
  const found: Range[] = [];
  let shownTo = 0;
  for (const at of occurrences(lower(folded), wanted)) {
    const start = part.start + sourceOf(at).start;
    if (start < shownTo) continue;
    const end = part.start + sourceOf(at + wanted.length - 1).end;
    shownTo = around(text, start, end).end;
    found.push({ start, end });
    if (found.length === MAX_COUNTED) break;
  }
  return found;
}

/** Returns where readers of a page see the words, but its source has something between them. */
function shownRanges(html: string, wanted: string, part: Range): Range[] {
  const { text, starts, ends } = visibleText(html);
  const { text: folded, sourceOf } = fold(text);
  const squeezed = wanted.replaceAll(' ', '');
  const ranges = occurrences(lower(folded), squeezed)
    .take(MAX_LOOKED_AT)
    .map((at) => ({
      start: starts[sourceOf(at).start] as number,
      end: ends[sourceOf(at + squeezed.length - 1).end - 1] as number,
    }))
    .filter(({ start, end }) => start >= part.start && end <= part.end)
    .filter(({ start, end }) => lower(fold(html.slice(start, end)).text) !== wanted)
    .take(MAX_COUNTED)
    .toArray();
  const quotes = pageRanges(html, ranges);
  return ranges.filter((_, index) => lower(fold(quotes[index]?.quote ?? '').text) === wanted);
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
