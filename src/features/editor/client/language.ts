import { markdownLanguage } from '@codemirror/lang-markdown';
import { Language } from '@codemirror/language';
import type {
  BlockContext,
  InlineContext,
  Line,
  MarkdownConfig,
  MarkdownParser,
} from '@lezer/markdown';
import { bracketFormula } from '../../../base/markdown/math-brackets.ts';
import { dollarFormula } from '../../../base/markdown/math-syntax.ts';
import { MAX_WIKILINK, parseWikilink } from '../../../base/markdown/wikilinks.ts';

const DOLLAR = 36;
const BRACKET = 91;
const BACKSLASH = 92;

/** Lines of front matter: fields, items, comments, and what is indented. */
const METADATA = /^(?:["']?[\p{L}\p{N}_$][^:]*:(?:\s|$)|-(?:\s|$)|#|[\]}]|\s+\S|$)/u;

const FENCES: [opening: string, closing: string][] = [
  ['$$', '$$'],
  ['\\[', '\\]'],
];

/** Reads a formula of its own lines. Without its closing signs before a blank line, it is text. */
function readFormulaBlock(cx: BlockContext, line: Line): boolean {
  const fence = FENCES.find(([opening]) => line.text.startsWith(opening, line.pos));
  if (!fence || cx.depth > 1 || line.indent >= 4) return false;
  const start = cx.lineStart + line.pos;
  const [opening, closing] = fence;
  const lines = [line.text.slice(line.pos).trimEnd()];
  const isEnd = (text: string) => text.endsWith(closing) && !text.endsWith(`\\${closing}`);
  const [first = ''] = lines;
  const rest = first.slice(opening.length);
  const isWhole = rest.trim().length > closing.length && isEnd(rest);
  if ((isWhole ? rest.slice(0, -closing.length) : rest).includes(closing)) return false;
  let end = cx.lineStart + line.text.length;
  let isClosed = isWhole;
  while (cx.nextLine() && !isClosed && line.text.trim() !== '') {
    lines.push(line.text);
    end = cx.lineStart + line.text.length;
    isClosed = isEnd(line.text.trimEnd());
  }
  const text = lines.join('\n');
  const element = isClosed
    ? cx.elt('FormulaBlock', start, end)
    : cx.elt('Paragraph', start, end, cx.parser.parseInline(text, start));
  cx.addElement(element);
  return true;
}

function readFrontMatter(cx: BlockContext, line: Line): boolean {
  if (cx.lineStart !== 0 || !/^---[ \t]*$/.test(line.text)) return false;
  const next = cx.peekLine();
  if (next.trim() === '' || !METADATA.test(next)) return false;
  let isClosed = false;
  let end = line.text.length;
  while (cx.nextLine() && !isClosed) {
    isClosed = /^(?:---|\.\.\.)[ \t]*$/.test(line.text);
    if (!isClosed && !METADATA.test(line.text)) break;
    end = cx.lineStart + line.text.length;
  }
  cx.addElement(cx.elt(isClosed ? 'FrontMatter' : 'Paragraph', 0, end));
  return true;
}

/** Reads a formula within a line, after dollars or a backslash. */
function readFormula(cx: InlineContext, next: number, pos: number): number {
  if (next !== DOLLAR && next !== BACKSLASH) return -1;
  const at = pos - cx.offset;
  const read = next === DOLLAR ? dollarFormula : bracketFormula;
  const found = read(cx.text, at, cx.text.length);
  if (found) return cx.addElement(cx.elt('Formula', pos, cx.offset + found.end));
  if (next === BACKSLASH) return -1;
  // None of these dollars can open anything now.
  let end = pos + 1;
  while (end < cx.end && cx.char(end) === DOLLAR) end++;
  return end;
}

function readWikilink(cx: InlineContext, next: number, pos: number): number {
  if (next !== BRACKET || cx.char(pos + 1) !== BRACKET) return -1;
  if (/[\w[\])]/.test(cx.slice(Math.max(cx.offset, pos - 1), pos))) return -1;
  const [inner] =
    /^[^[\]\n]+(?=\]\])/.exec(cx.slice(pos + 2, Math.min(cx.end, pos + MAX_WIKILINK))) ?? [];
  if (inner === undefined) return -1;
  const end = pos + inner.length + 4;
  const wikilink = parseWikilink(inner);
  if (!wikilink || (end < cx.end && /[([]/.test(cx.slice(end, end + 1)))) return -1;
  // What isn't shown: the brackets, and the name if there is a label.
  const shown = wikilink.label === undefined ? pos + 2 : pos + 3 + inner.indexOf('|');
  return cx.addElement(
    cx.elt('WikiLink', pos, end, [
      cx.elt('LinkMark', pos, shown),
      cx.elt('LinkMark', end - 2, end),
    ]),
  );
}

/** What briefs have in addition to GitHub's Markdown, and without what they don't have. */
const BRIEFS: MarkdownConfig = {
  remove: ['Subscript', 'Superscript', 'Emoji'],
  defineNodes: [
    'Formula',
    'WikiLink',
    { name: 'FormulaBlock', block: true },
    { name: 'FrontMatter', block: true },
  ],
  parseBlock: [
    { name: 'FrontMatter', parse: readFrontMatter, before: 'HorizontalRule' },
    {
      name: 'FormulaBlock',
      parse: readFormulaBlock,
      endLeaf: (cx, line) => cx.depth === 1 && line.text.startsWith('$$', line.pos),
      after: 'Blockquote',
    },
  ],
  parseInline: [
    { name: 'Formula', parse: readFormula, before: 'Escape' },
    { name: 'WikiLink', parse: readWikilink, before: 'Link' },
  ],
};

/** The language of briefs: formulas and wiki links are nodes of the syntax tree. */
export const briefLanguage = new Language(
  markdownLanguage.data,
  (markdownLanguage.parser as MarkdownParser).configure(BRIEFS),
  [],
  'markdown',
);
