import { Parser } from 'htmlparser2';
import { FOREIGN, MAX_NESTING } from '../text/html-title.ts';
import { type IsOver, noLimit } from './time-budget.ts';

/** How much of a document's text is searchable, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 256 * 1024;

/** How much HTML is read between checks of the time. */
const CHUNK = 16 * 1024;

/** Elements that don't separate words. */
const INLINE = new Set(
  `a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup
  time tt u var wbr`.split(/\s+/),
);

const isHidden = (name: string) => FOREIGN.has(name) || name === 'title';

/** A document's content: Markdown (its beginning) or HTML. */
export type Written = { markdown: string } | { html: string };

/** What an excerpt is made from: Markdown (its beginning), or the plain text of a page. */
export type Excerptible = { markdown: string } | { plain: string };

export function lengthOf(written: Written): number {
  return ('markdown' in written ? written.markdown : written.html).length;
}

/** Returns a document's plain text for searching and excerpts; of HTML, what was read in time. */
export function plainText(written: Written | Excerptible, isOver: IsOver = noLimit): string {
  if ('markdown' in written) return markdownText(written.markdown);
  if ('plain' in written) return written.plain;
  let text = '';
  for (const piece of htmlText(written.html)) {
    text += piece;
    // Twice the limit suffices, because much may be white space.
    if (text.length > 2 * MAX_TEXT_LENGTH || isOver()) break;
  }
  return tidy(text);
}

/** Yields an HTML document's visible text in pieces; some are empty. */
function* htmlText(html: string): Generator<string> {
  let text = '';
  let hidden = 0;
  let nesting = 0;
  const parser = new Parser({
    onopentagname(name) {
      nesting++;
      if (isHidden(name)) hidden++;
      if (!INLINE.has(name)) text += ' ';
    },
    ontext(part) {
      if (hidden === 0) text += part;
    },
    onclosetag(name) {
      nesting--;
      if (isHidden(name)) hidden = Math.max(0, hidden - 1);
      if (!INLINE.has(name)) text += ' ';
    },
  });
  for (let start = 0; start < html.length && nesting <= MAX_NESTING; start += CHUNK) {
    parser.write(html.slice(start, start + CHUNK));
    if (start + CHUNK >= html.length) parser.end();
    yield text;
    text = '';
  }
}

const BETWEEN_WORDS = /(?<=[\p{L}\p{N}])[*`~|]+(?=[\p{L}\p{N}])/gu;
const MARKUP = /[*`~|]+|^[ \t]*(?:#{1,6}|>+)(?=[ \t])/gmu;

/** Returns a Markdown document's text without most of its markup. */
export function markdownText(markdown: string): string {
  const source = markdown.slice(0, MAX_TEXT_LENGTH);
  return tidy(source.replaceAll(BETWEEN_WORDS, ' ').replaceAll(MARKUP, ''));
}

/** Collapses white space to single spaces, and cuts the text. PostgreSQL can't store NUL. */
function tidy(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .replaceAll(/[\s\0]+/gu, ' ')
    .trim();
}
