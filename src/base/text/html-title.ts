import { Parser } from 'htmlparser2';

const MAX_CHARACTERS = 200;
const HEADING = /^h[1-6]$/;
/** Elements whose titles, headings and text aren't the document's. */
export const FOREIGN = new Set([
  'svg',
  'math',
  'template',
  'script',
  'style',
  'noscript',
  'iframe',
  'noembed',
  'noframes',
]);

/**
 * Deepest nesting that is parsed, because the parser's work grows with it. Browsers stop at 512.
 */
export const MAX_NESTING = 512;

/**
 * Returns an HTML document's `<title>`, or else the text of its first heading, with white space
 * collapsed and cut to 200 characters; `undefined` if it has neither.
 */
export function htmlTitle(html: string): string | undefined {
  let title: string | undefined;
  let heading: string | undefined;
  let foreign = 0;
  let nesting = 0;
  /** The element whose text is being collected, and that text. */
  let collecting: string | undefined;
  let text = '';

  const parser = new Parser({
    onopentagname(name) {
      nesting++;
      if (FOREIGN.has(name)) foreign++;
      if (foreign > 0 || collecting) return;
      if (name === 'title' || (heading === undefined && HEADING.test(name))) {
        collecting = name;
        text = '';
      }
    },
    ontext(part) {
      if (collecting && foreign === 0) text += part;
    },
    onclosetag(name) {
      nesting--;
      if (FOREIGN.has(name)) foreign = Math.max(0, foreign - 1);
      if (name !== collecting) return;
      collecting = undefined;
      const found = tidy(text);
      if (found === '') return;
      if (name !== 'title') heading ??= found;
      else {
        title = found;
        // We have the title, so stop parsing.
        parser.reset();
      }
    },
  });
  const CHUNK = 16_384;
  let start = 0;
  for (; start < html.length && title === undefined && nesting <= MAX_NESTING; start += CHUNK) {
    parser.write(html.slice(start, start + CHUNK));
  }
  if (title === undefined && start >= html.length) parser.end();
  return title ?? heading;
}

function tidy(text: string): string {
  const words = text.replace(/\s+/gu, ' ').trim();
  return Array.from(words).slice(0, MAX_CHARACTERS).join('').trim();
}
