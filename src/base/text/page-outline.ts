import { pageHeadings } from './page-quotes.ts';
import { placesOf } from './places.ts';
import type { OutlineEntry } from './sections.ts';

const MAX_TEXT = 120;

/** Finds the headings of a page, `h1` to `h6`, as its source has them. Takes linear time. */
export function outlineOfPage(html: string): OutlineEntry[] {
  const headings = pageHeadings(html);
  const places = placesOf(
    html,
    headings.map(({ start }) => start),
  );
  return headings.flatMap(({ level, text }, index) => {
    const place = places[index];
    if (!place) return [];
    const { line, column } = place;
    return [{ line, column, bodyLine: line, level, text: text.slice(0, MAX_TEXT).toWellFormed() }];
  });
}
