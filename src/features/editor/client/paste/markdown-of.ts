import TurndownService from 'turndown';
import { cleanHtml } from './clean-html.ts';
import { parse } from './parse.ts';
import { RULES } from './rules.ts';
import { tableRule } from './table-rule.ts';
import { listWordParagraphs } from './word-lists.ts';

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
