import TurndownService, { type Rule } from 'turndown';
import { type Alignment, formatTable } from '../table.ts';
import { cleanHtml } from './clean-html.ts';

const LEVEL = /mso-list:\s*l\d+\s+level(\d)/i;
const NUMBER = /^\(?(?:\d{1,4}|[a-z]{1,4})[.)]/i;

/** Turns the paragraphs that Word writes for list items into lists. */
function listWordParagraphs(body: HTMLElement): void {
  const levelOf = (element: Element | null) =>
    element ? Number(LEVEL.exec(element.getAttribute('data-style') ?? '')?.[1] ?? 0) : 0;
  for (const first of [...body.querySelectorAll('[data-style*="mso-list" i]')]) {
    if (!first.isConnected || levelOf(first) === 0) continue;
    const lists: { level: number; list: Element }[] = [];
    let item: Element | null = first;
    const place = body.ownerDocument.createElement('div');
    first.before(place);
    while (item && levelOf(item) > 0) {
      const next: Element | null = item.nextElementSibling;
      add(item, levelOf(item), lists, place);
      item = next;
    }
  }
}

function add(
  item: Element,
  level: number,
  lists: { level: number; list: Element }[],
  place: Element,
): void {
  const marker = item.querySelector(
    '[data-style*="mso-list:Ignore" i], [data-style*="mso-list: Ignore" i]',
  );
  const tag = NUMBER.test(marker?.textContent?.trim() ?? '') ? 'ol' : 'ul';
  marker?.remove();
  while ((lists.at(-1)?.level ?? 0) > level) lists.pop();
  let current = lists.at(-1);
  if (!current || current.level < level || current.list.localName !== tag) {
    const list = item.ownerDocument.createElement(tag);
    if (current?.level === level) lists.pop();
    (lists.at(-1)?.list.lastElementChild ?? place).append(list);
    current = { level, list };
    lists.push(current);
  }
  const entry = item.ownerDocument.createElement('li');
  entry.append(...item.childNodes);
  current.list.append(entry);
  item.remove();
}

/** Elements that a Markdown cell can't contain. Tables with them are layout. */
const BLOCKS = 'table, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6, hr';
const MOST_SPAN = 100;

/** Converts data tables to GFM, and shows the content of other tables one below the other. */
function tableRule(convert: (cell: HTMLElement) => string): Rule {
  return {
    filter: 'table',
    replacement(content, node) {
      const table = node as HTMLTableElement;
      const caption = table.caption ? `${convert(table.caption)}\n\n` : '';
      const rows = rowsOf(table, convert);
      const columns = Math.max(0, ...rows.map(({ length }) => length));
      if (columns < 2 || rows.length < 2 || table.querySelector(BLOCKS))
        return `\n\n${content}\n\n`;
      const filled = rows.map((row) => Array.from({ length: columns }, (_, at) => row[at] ?? ''));
      const alignments = Array.from({ length: columns }, (_, at) => alignmentOf(table, at));
      const lines = formatTable({ indent: '', alignments, rows: filled });
      return `\n\n${caption}${lines.join('\n')}\n\n`;
    },
  };
}

/** Returns the cells as Markdown. One that spans columns or rows is followed by empty ones. */
function rowsOf(table: HTMLTableElement, convert: (cell: HTMLElement) => string): string[][] {
  const rows: string[][] = Array.from(table.rows, () => []);
  for (const [at, row] of [...table.rows].entries()) {
    let column = 0;
    for (const cell of row.cells) {
      while (rows[at]?.[column] !== undefined) column++;
      const width = Math.min(cell.colSpan, MOST_SPAN);
      const height = Math.min(cell.rowSpan, MOST_SPAN);
      for (const below of rows.slice(at, at + height)) {
        for (let beside = 0; beside < width; beside++) below[column + beside] = '';
      }
      (rows[at] as string[])[column] = textOf(convert(cell));
    }
  }
  return rows.filter((row) => row.length > 0);
}

function textOf(markdown: string): string {
  return markdown
    .trim()
    .replace(/\\?\n\s*/g, '<br>')
    .replace(/(?<!\\)\|/g, '\\|');
}

function alignmentOf(table: HTMLTableElement, column: number): Alignment {
  const cell = table.rows[table.rows.length > 1 ? 1 : 0]?.cells[column];
  const style = /text-align:\s*(\w+)/i.exec(cell?.getAttribute('data-style') ?? '')?.[1];
  const side = (cell?.getAttribute('align') ?? style ?? '').toLowerCase();
  return side === 'center' || side === 'right' ? side : 'none';
}

/** Returns a rule that keeps an element as HTML, because Markdown has no syntax for it. */
const asHtml = (tag: 'kbd' | 'sub' | 'sup'): Rule => ({
  filter: tag,
  replacement: (content) => (content.trim() === '' ? '' : `<${tag}>${content}</${tag}>`),
});

/** Differences from Turndown's own rules, and additions for GFM. */
const RULES: Record<string, Rule> = {
  kbd: asHtml('kbd'),
  sub: asHtml('sub'),
  sup: asHtml('sup'),
  deleted: {
    filter: 'del',
    replacement: (content) => `~~${content}~~`,
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
      const marker = isNumbered ? `${start + [...list.children].indexOf(node as Element)}. ` : '- ';
      const text = content.replace(/^\n+/, '').trimEnd();
      const indented = text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`);
      const isLoose = /\n$/.test(content) && (node as Element).querySelector(':scope > p') !== null;
      return marker + indented + (node.nextSibling ? (isLoose ? '\n\n' : '\n') : '');
    },
  },
  link: {
    filter: (node) =>
      node.nodeName === 'A' && node.textContent === (node as Element).getAttribute('href'),
    replacement: (_content, node) => `<${node.textContent}>`,
  },
  /** TeX formulas as stored by KaTeX and Temml. */
  formula: {
    filter: (node) => node.nodeName === 'math',
    replacement: (_content, node) => `$${node.textContent?.trim()}$`,
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
  'h1, h2, h3, h4, h5, h6, strong, b, em, i, del, code, pre, kbd, sub, sup, a[href], img, ul, ol, ' +
  'table, blockquote, hr';

/** The font of a code editor or a terminal. */
const MONOSPACE = /mono|courier|consolas|menlo|monaco/i;

const service = new TurndownService({
  headingStyle: 'atx',
  hr: '---',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
  br: '\\',
});
const escapeAll = service.escape;
service.escape = (text) =>
  escapeAll(text)
    // Inside a word, underscores are plain text.
    .replace(/(?<=[\p{L}\p{N}])(?:\\_)+(?=[\p{L}\p{N}])/gu, (marks) => marks.replaceAll('\\', ''))
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/&(?=#?\w+;)/g, '\\&');
for (const [name, rule] of Object.entries(RULES)) service.addRule(name, rule);
service.addRule(
  'table',
  tableRule((cell) => service.turndown(cell)),
);

/**
 * Converts any HTML to Markdown. Nothing in it runs or loads.
 *
 * @returns `undefined` if it has no formatting for Markdown, or comes from a code editor
 */
export function markdownOf(html: string): string | undefined {
  const body = parse(html);
  if (isCode(body)) return undefined;
  listWordParagraphs(body);
  cleanHtml(body);
  if (!body.querySelector(RICH)) return undefined;
  return service.turndown(body).trim() || undefined;
}

/** Tells whether the HTML is one block of code, as written by code editors and terminals. */
function isCode(body: HTMLElement): boolean {
  const [root, ...more] = [...body.children].filter(
    ({ tagName }) => !/^(?:META|STYLE|BR)$/.test(tagName),
  );
  if (!root || more.length > 0) return false;
  const style = root.getAttribute('data-style') ?? '';
  return root.tagName === 'PRE' || (MONOSPACE.test(style) && /white-space:\s*pre/i.test(style));
}
