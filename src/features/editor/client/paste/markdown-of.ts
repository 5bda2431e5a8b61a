import TurndownService, { type Rule } from 'turndown';
import { cleanHtml } from './clean-html.ts';
import { HTML_MARKS, styleOf } from './dom.ts';
import { formulaToMarkdown } from './formulas.ts';
import { ADDRESS_END, isAddressLink, prepareLines } from './lines.ts';
import { type PastedPicture, withDescriptions } from './pictures.ts';
import { cellText, flatten, rowsOf, tableRule } from './tables.ts';
import { listWordParagraphs } from './word-lists.ts';

/** Returns a rule that keeps an element as HTML, because Markdown has no syntax for it. */
const asHtml = (tag: string): Rule => ({
  filter: (node) => node.localName === tag,
  replacement: (content) => (content.trim() === '' ? '' : `<${tag}>${content}</${tag}>`),
});

/** Differences from Turndown's own rules, and additions for GFM. */
const RULES: Record<string, Rule> = {
  ...Object.fromEntries(HTML_MARKS.map((tag) => [`html-${tag}`, asHtml(tag)])),
  alert: {
    filter: (node) => node.hasAttribute('data-alert'),
    replacement(content, node) {
      const kind = (node as Element).getAttribute('data-alert');
      return `\n\n> [!${kind}]\n${content.trim().replace(/^/gm, '> ')}\n\n`;
    },
  },
  footnote: {
    filter: (node) => node.hasAttribute('data-footnote'),
    replacement(content, node) {
      const label = (node as Element).getAttribute('data-footnote')?.replace(/^.*-fn-/, '');
      return `\n\n[^${label}]: ${content.trim().replace(/\n(?=[^\n])/g, '\n    ')}\n\n`;
    },
  },
  footnoteReference: {
    filter: (node) => node.nodeName === 'NOTEREF',
    replacement: (content) => `[^${content}]`,
  },
  mark: {
    filter: ['strong', 'em', 'del'],
    replacement(content, node) {
      const sign = (node as Element).getAttribute('data-mark') ?? 'html';
      const name = node.nodeName.toLowerCase();
      return sign === 'html' ? `<${name}>${content}</${name}>` : sign + content + sign;
    },
  },
  /** A heading has one line. */
  headingBreak: {
    filter: (node) => node.nodeName === 'BR' && node.closest('h1, h2, h3, h4, h5, h6') !== null,
    replacement: () => '<br>',
  },
  /** A backslash would become part of the address before it. */
  addressBreak: {
    filter: (node) =>
      node.nodeName === 'BR' &&
      node.closest('h1, h2, h3, h4, h5, h6') === null &&
      ADDRESS_END.test((node.previousSibling?.textContent ?? '').trimEnd()),
    replacement: () => '<br>\n',
  },
  task: {
    filter: (node) => node.nodeName === 'INPUT',
    replacement: (_content, node) => ((node as Element).hasAttribute('checked') ? '[x] ' : '[ ] '),
  },
  /** Indents an item by the width of its marker. */
  item: {
    filter: 'li',
    replacement(content, node) {
      const list = node.parentNode as Element;
      const isNumbered = list.nodeName === 'OL';
      const start = Number(list.getAttribute('start') ?? 1) || 1;
      const number = start + [...list.children].indexOf(node as Element);
      // Another marker begins another list.
      const isOther = list.hasAttribute('data-other');
      const marker = isNumbered ? `${number}${isOther ? ')' : '.'} ` : isOther ? '* ' : '- ';
      const text = content.replace(/^\n+/, '').trimEnd();
      const indented = text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`);
      const isLoose = /\n$/.test(content) && (node as Element).querySelector(':scope > p') !== null;
      return marker + indented + (node.nextSibling ? (isLoose ? '\n\n' : '\n') : '');
    },
  },
  link: {
    filter: (node) => isAddressLink(node),
    replacement: (_content, node) => `<${node.textContent}>`,
  },
  formula: {
    filter: (node) => node.nodeName === 'TEX',
    replacement: (_content, node) => formulaToMarkdown(node as Element),
  },
};

const TAG = /<[a-z][^>]*>/gi;
const STYLES_AND_HANDLERS = /([\s"'/])(style|on\w+)(?=\s*=)/gi;
const NOT_TEXT = /<style\b[\s\S]*?<\/style\s*>|<(?:base|link|meta)\b[^>]*>/gi;

/**
 * Parses HTML into a separate document, in which nothing runs or loads. Adds the prefix `data-` to
 * `style` and event handler attributes, because Chromium reports blocked ones even in such a
 * document. Safety doesn't depend on the prefix.
 */
function parse(html: string): HTMLElement {
  const quiet = html
    .replace(NOT_TEXT, '')
    .replace(TAG, (tag) => tag.replace(STYLES_AND_HANDLERS, '$1data-$2'));
  return new DOMParser().parseFromString(quiet, 'text/html').body;
}

const RICH =
  'h1, h2, h3, h4, h5, h6, strong, b, em, i, del, code, pre, a[href], img, ul, ol, table, ' +
  `blockquote, hr, tex, noteref, ${HTML_MARKS.join(', ')}`;

/** The font of a code editor or a terminal. */
const MONOSPACE = /mono|courier|consolas|menlo|monaco/i;

const service = new TurndownService({
  headingStyle: 'atx',
  hr: '---',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
  br: '\\',
});
// Already escaped, by what stands around it in the line.
service.escape = (text) => text;
for (const [name, rule] of Object.entries(RULES)) service.addRule(name, rule);
const convert = (cell: HTMLElement) => service.turndown(cell);
service.addRule('table', tableRule(convert));

export { takePlaces, withDescriptions } from './pictures.ts';

/** Pasted HTML as Markdown. */
export interface Pasted {
  /** With places for `pictures` (`takePlaces`). */
  markdown: string;
  pictures: PastedPicture[];
  /** How many pictures can't be pasted; their descriptions are in the text. */
  lost: number;
}

/**
 * Converts any HTML to Markdown. Nothing in it runs or loads.
 *
 * @returns `undefined` if it has no formatting for Markdown, or comes from a code editor
 */
export function markdownOf(html: string): Pasted | undefined {
  const rich = richBody(html);
  if (!rich) return undefined;
  const { body, ...found } = rich;
  const markdown = service.turndown(body).trim();
  return markdown !== '' || found.lost > 0 ? { markdown, ...found } : undefined;
}

/**
 * Converts HTML for a place in a table, where a line break would end the row.
 *
 * @returns the cells of a copied table by row, else one cell, without pictures to upload; `undefined`
 *   as above
 */
export function cellsOf(html: string): { cells: string[][]; lost: number } | undefined {
  const rich = richBody(html, (parsed) => {
    if (!onlyTable(parsed)) flatten(parsed);
  });
  if (!rich) return undefined;
  const { body, pictures, lost } = rich;
  const table = onlyTable(body);
  const cells = table ? rowsOf(table, convert) : [[cellText(service.turndown(body))]];
  const described = cells.map((row) => row.map((cell) => withDescriptions(cell, pictures)));
  return { cells: described, lost: lost + pictures.length };
}

/** Returns the HTML as an article to convert; `undefined` as above. */
function richBody(html: string, reduce = (_body: Element) => {}) {
  const body = parse(html);
  if (isCode(body)) return undefined;
  listWordParagraphs(body);
  // Plain text has no descriptions of pictures; emoji are pictures in some.
  const isDescribed = body.querySelector('img[alt]:not([alt=""])') !== null;
  const found = cleanHtml(body);
  const hasPictures = isDescribed || found.lost > 0 || found.pictures.length > 0;
  if (!hasPictures && !body.querySelector(RICH)) return undefined;
  reduce(body);
  prepareLines(body);
  return { body, ...found };
}

/** Returns the table if it is all that was copied. */
function onlyTable(body: Element): HTMLTableElement | undefined {
  const [table, other] = body.querySelectorAll('table:not([data-layout])');
  return !other && table?.textContent?.trim() === body.textContent?.trim()
    ? (table as HTMLTableElement | undefined)
    : undefined;
}

/** Tells whether the HTML is one block of code, as written by code editors and terminals. */
function isCode(body: HTMLElement): boolean {
  const [root, ...more] = [...body.children].filter(
    ({ tagName }) => !/^(?:META|STYLE|BR)$/.test(tagName),
  );
  if (!root || more.length > 0) return false;
  const style = styleOf(root);
  // Web pages have a `code` in it.
  const isPre = root.tagName === 'PRE' && !root.querySelector('code');
  return isPre || (MONOSPACE.test(style) && /white-space:\s*pre/i.test(style));
}
