import { Parser } from 'htmlparser2';
import { placesOf } from './places.ts';
import type { Range } from './port.ts';
import {
  type QuoteInput,
  type QuoteSearch,
  type Squeezed,
  searchSqueezed,
  squeezedBuilder,
} from './quote-search.ts';
import type { OutlineEntry } from './sections.ts';

/**
 * An element of a page, such as `div:2/p:1#last`: the first `p` in the second `div`, with the `id`
 * "last". Each step is an element's name in lower case and its number among siblings of that name,
 * from 1. `html`, `head`, `body` and `tbody` are not steps, because browsers add them; their
 * children count as their parent's. The `id` finds the element if the path no longer does; `#last`
 * alone is enough.
 */
export type ElementPath = string;

/** A range of a page's source, and whether it is an element's. */
export type PageSource = Range & { isElement?: boolean };

/** A passage as readers of the page see it. */
export interface PageRange {
  /** The element that it begins in, or that it is. Empty for text outside all elements. */
  element: ElementPath;
  /** The visible text with single spaces, and up to 32 characters on either side. Can be empty. */
  quote: string;
  prefix: string;
  suffix: string;
}

/** Elements that browsers add. */
export const NO_STEPS = new Set(['html', 'head', 'body', 'tbody']);

/** Elements whose text isn't shown. */
export const HIDDEN = new Set(
  'script style template noscript iframe noembed noframes title textarea select'.split(' '),
);

/**
 * The deepest nesting that is parsed, because the parser's work grows with it. Browsers stop at
 * 512.
 */
export const MAX_NESTING = 512;
const CHUNK = 16_384;
const CONTEXT = 32;
const MAX_HEADING = 120;

export interface PageElement {
  tag: string;
  id: string | undefined;
  /** Its number among siblings of the same name. */
  index: number;
  parent: PageElement | undefined;
  /** Its source, with its tags. */
  start: number;
  end: number;
  /** Its content. */
  from: number;
  to: number;
  /** How many children of each name it has; most elements have none. */
  counts: Map<string, number> | undefined;
}

/** The visible text of a page, and its elements in the order they begin. */
export interface PageText extends Squeezed {
  elements: PageElement[];
}

/**
 * Finds a quote in a page's static text. White space can differ. Takes linear time.
 *
 * @param input.element the element to search first
 */
export function findPageQuote(
  html: string,
  input: QuoteInput & { element?: ElementPath },
): QuoteSearch {
  const page = readPage(html);
  const element = input.element && findIn(page.elements, input.element);
  if (!element) return searchSqueezed(page, input);
  return searchSqueezed(page, input, (at) => {
    const start = page.starts[at] as number;
    return element.start <= start && start < element.end;
  });
}

/**
 * Returns the source range of an element, and its path; `undefined` if the page has no such
 * element.
 *
 * @param isNearest whether to accept the closest ancestor that the page has, for example of an
 *   element that a script added
 */
export function findPageElement(
  html: string,
  element: ElementPath,
  isNearest = false,
): (Range & { element: ElementPath }) | undefined {
  const { elements } = readPage(html);
  let found = findIn(elements, element);
  let [path = ''] = element.split('#', 1);
  while (!found && isNearest && path !== '') {
    path = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    found = findIn(elements, path);
  }
  return found && { start: found.start, end: found.end, element: nameOf(found) };
}

function findIn(elements: readonly PageElement[], element: ElementPath): PageElement | undefined {
  const [path = '', ...rest] = element.split('#');
  const id = rest.length > 0 ? rest.join('#') : undefined;
  const steps = path.split('/');
  const tag = (steps.at(-1) ?? '').split(':')[0];
  const at = elements.find((each) => each.tag === tag && isAt(each, steps));
  if (at && (id === undefined || at.id === id)) return at;
  const [found, another] = elements.filter((each) => id !== undefined && each.id === id);
  return another || (found && path !== '' && found.tag !== tag) ? undefined : found;
}

/**
 * Returns passages as the page shows them, each with the innermost element that it begins in, so
 * that a browser can find them.
 */
export function pageRanges(html: string, ranges: readonly PageSource[]): PageRange[] {
  const page = readPage(html);
  return ranges.map((range) => pageRange(html, page, range));
}

function pageRange(html: string, page: PageText, { start, end, isElement }: PageSource): PageRange {
  const { text, starts, ends, elements } = page;
  const from = firstAfter(ends, start);
  const to = Math.max(from, firstAtLeast(starts, end));
  const words = (first: number, last: number) => {
    let words = '';
    for (let at = first; at < last; at++) {
      const before = at > first ? html.slice(ends[at - 1], starts[at]) : '';
      words += (isSpace(before) ? ' ' : '') + text[at];
    }
    return words;
  };
  const place = from < to && !isElement ? (starts[from] as number) : start;
  const element = innermost(elements, place);
  const isApart = (index: number) =>
    index > 0 && index < text.length && isSpace(html.slice(ends[index - 1], starts[index]));
  const before = words(Math.max(0, from - CONTEXT), from) + (isApart(from) ? ' ' : '');
  const after = (isApart(to) ? ' ' : '') + words(to, Math.min(text.length, to + CONTEXT));
  return {
    element: element ? nameOf(element) : '',
    quote: words(from, to),
    prefix: before.slice(-CONTEXT),
    suffix: after.slice(0, CONTEXT),
  };
}

/** Finds the headings of a page that show text, as its source has them. Takes linear time. */
export function outlineOfPage(html: string): OutlineEntry[] {
  const page = readPage(html);
  const headings = page.elements.flatMap(({ tag, start, end }) => {
    const [, level] = /^h([1-6])$/.exec(tag) ?? [];
    const text = level ? pageRange(html, page, { start, end }).quote : '';
    return text === '' ? [] : [{ level: Number(level), start, text }];
  });
  const starts = headings.map(({ start }) => start);
  return placesOf(html, starts).map(({ line, column }, index) => {
    const { level, text } = headings[index] as (typeof headings)[number];
    return { line, column, bodyLine: line, level, text: text.slice(0, MAX_HEADING).toWellFormed() };
  });
}

/** A tag or comment. */
const TAG = /<[^>]*>?/g;

/** The tag of an element that starts no new line, or a comment. */
export const WITHIN_LINE =
  /^<(?:!|\/?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|tt|u|var|wbr)\b)/i;

/** Tells whether the source between two visible signs shows as white space. */
function isSpace(source: string): boolean {
  if (source === '') return false;
  const text = source.replaceAll(TAG, (tag) => (WITHIN_LINE.test(tag) ? '' : ' '));
  // A reference between two signs is for white space, such as `&nbsp;`.
  return /[\s&]/.test(text);
}

export function innermost(
  elements: readonly PageElement[],
  index: number,
): PageElement | undefined {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((elements[middle] as PageElement).start <= index) low = middle + 1;
    else high = middle;
  }
  let element = elements[low - 1];
  while (element && element.end <= index) element = element.parent;
  return element;
}

function firstAfter(sorted: Int32Array, value: number): number {
  return firstAtLeast(sorted, value + 1);
}

function firstAtLeast(sorted: Int32Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nameOf(element: PageElement): ElementPath {
  const steps: string[] = [];
  for (let at: PageElement | undefined = element; at; at = at.parent) {
    if (!NO_STEPS.has(at.tag)) steps.push(`${at.tag}:${at.index}`);
  }
  return steps.reverse().join('/') + (element.id ? `#${element.id}` : '');
}

function isAt(element: PageElement, steps: readonly string[]): boolean {
  let step = steps.length;
  for (let at: PageElement | undefined = element; at; at = at.parent) {
    if (NO_STEPS.has(at.tag)) continue;
    if (steps[--step] !== `${at.tag}:${at.index}`) return false;
  }
  return step === 0;
}

/** Returns the visible text of HTML, without white space. */
export const visibleText = (html: string): Squeezed => readPage(html);

/** Reads the visible text and the elements of a page. Stops soon after {@link MAX_NESTING}. */
export function readPage(html: string): PageText {
  const builder = squeezedBuilder();
  const elements: PageElement[] = [];
  const open: PageElement[] = [];
  const root = new Map<string, number>();
  let hidden = 0;
  const parser = new Parser({
    onopentag(tag, { id }) {
      const parent = open.at(-1);
      const above = open.findLast((each) => !NO_STEPS.has(each.tag));
      const counts = above ? (above.counts ?? new Map<string, number>()) : root;
      if (above) above.counts = counts;
      const index = (counts.get(tag) ?? 0) + 1;
      counts.set(tag, index);
      const element = {
        tag,
        id,
        index,
        parent,
        counts: undefined,
        start: parser.startIndex,
        end: html.length,
        from: parser.endIndex + 1,
        to: html.length,
      };
      elements.push(element);
      open.push(element);
      if (HIDDEN.has(tag)) hidden++;
    },
    ontext(part) {
      if (hidden > 0) return;
      const { startIndex: start, endIndex } = parser;
      if (endIndex - start + 1 === part.length) builder.add(part, start);
      else builder.addAs(part, { start, end: endIndex + 1 });
    },
    onclosetag(tag, isImplied) {
      const element = open.pop();
      // An element without content ends with its tag.
      const isBefore = isImplied && element && parser.startIndex > element.start;
      if (element) element.end = isBefore ? parser.startIndex : parser.endIndex + 1;
      if (element) element.to = isImplied ? element.end : parser.startIndex;
      if (HIDDEN.has(tag)) hidden = Math.max(0, hidden - 1);
    },
  });
  for (let start = 0; start < html.length && open.length <= MAX_NESTING; start += CHUNK) {
    parser.write(html.slice(start, start + CHUNK));
    if (start + CHUNK >= html.length) parser.end();
  }
  return { ...builder.done(), elements };
}
