import type { Token } from 'markdown-it';
import { visibleText } from '../text/page-quotes.ts';
import { type Squeezed, squeezedBuilder } from '../text/quote-search.ts';
import type { RenderEnvironment } from './environment.ts';
import { readFrontMatter } from './front-matter.ts';
import { htmlOfBlock } from './html-in-prose.ts';
import { alignInline } from './inline-alignment.ts';
import { MAX_SOURCE_LENGTH, RenderLimitError } from './limits.ts';
import { createParser, fenceLanguage } from './parser.ts';

/**
 * Without `text_join`, the output keeps escapes and entities separate from the text around them.
 */
const parser = createParser();
parser.core.ruler.disable('text_join');

/**
 * Elements whose text isn't part of the rendered text, because it has no source or its source isn't
 * text. Code that reads or highlights text in a rendered brief must skip them.
 */
export const WITHOUT_SOURCE =
  'math, .math-error, .mermaid-source, .anchor, .footnote-ref, .footnote-backref, .markdown-alert-title';

/** A run of text in one block. */
export interface Leaf {
  /**
   * The `data-line` of the innermost element that has one. If several have it, the last is the
   * block. 0 means that no element around this run has one; then the block is the whole article.
   */
  line: number;
  /**
   * Where that element's text begins, and where this run begins and ends, counted without white
   * space.
   */
  blockFrom: number;
  from: number;
  to: number;
  /** The last source line of that element. */
  lastLine: number;
  /** The source of this run, with its markup: whole lines, or a row of a table. */
  source: { start: number; end: number };
}

/** The text of a brief as a reader sees it, without white space, with the source of every unit. */
export interface RenderedText extends Squeezed {
  /** In the order they are shown, so footnotes come last. */
  leaves: Leaf[];
}

interface Block {
  line: number;
  lastLine: number;
  from: number;
}

/** The block for text that isn't inside an element with a line. */
const ARTICLE: Block = { line: 0, lastLine: Number.MAX_SAFE_INTEGER, from: 0 };

/**
 * Returns the rendered text of a Markdown source. Aligns both, token by token as the parser reads
 * them.
 *
 * @throws RenderLimitError if the source exceeds a limit of `limits.ts`
 */
export function renderedText(source: string): RenderedText {
  if (source.length > MAX_SOURCE_LENGTH) throw new RenderLimitError('The source is too long.');
  const env = { sourceLines: false } as RenderEnvironment;
  const tokens = parser.parse(readFrontMatter(source).body, env);
  const lineStarts = startsOfLines(source);
  const builder = squeezedBuilder();
  const leaves: Leaf[] = [];
  const open: (Block | undefined)[] = [];
  /** Where the search for the next cell of a table row begins. */
  let cellFrom = 0;
  let cellLine = -1;
  let isCell = false;

  for (const token of tokens) {
    if (token.nesting < 0) open.pop();
    else if (token.nesting > 0) {
      open.push(blockOf(token));
      isCell = token.type === 'td_open' || token.type === 'th_open';
    } else if (token.type === 'inline') {
      // Cells have no lines of their own.
      const row = open.findLast((each) => each !== undefined);
      token.map ??= row ? [row.line - 1, row.line] : null;
      addLeaf(token, () => addInline(token));
    } else if (token.type === 'fence' && !/^(?:math|mermaid)$/.test(fenceLanguage(token))) {
      addLeaf(token, () => addLines(token.content, (token.map?.[0] ?? 0) + 1), blockOf(token));
    } else if (token.type === 'code_block') {
      addLeaf(token, () => addLines(token.content, token.map?.[0] ?? 0), blockOf(token));
    } else if (token.type === 'html_block') addLeaf(token, () => addHtml(token));
    else addLeaf(token, () => {}, blockOf(token));
  }
  return { ...builder.done(), leaves };

  function blockOf({ map, hidden, tag }: Token): Block | undefined {
    if (!map || hidden || tag === '') return undefined;
    return { line: map[0] + 1, lastLine: map[1], from: builder.length() };
  }

  function addLeaf(
    { map }: Token,
    add: () => void,
    block = open.findLast((each) => each !== undefined),
  ): void {
    if (!map) return;
    const from = builder.length();
    add();
    const to = builder.length();
    const { line, lastLine, from: blockFrom } = block ?? ARTICLE;
    leaves.push({
      line,
      lastLine,
      blockFrom,
      from,
      to,
      source: { start: lineStart(map[0]), end: lineStart(map[1]) },
    });
  }

  function lineStart(line: number): number {
    return lineStarts[line] ?? source.length;
  }

  /** Adds lines of code. In the source they differ only in their indent. */
  function addLines(content: string, firstLine: number): void {
    for (const [index, line] of content.split('\n').entries()) {
      const start = lineStart(firstLine + index);
      // Tabs in the indent may have become spaces.
      const code = line.trim();
      const at = source.slice(start, lineStart(firstLine + index + 1)).lastIndexOf(code);
      if (at >= 0) builder.add(code, start + at);
    }
  }

  function addHtml(token: Token): void {
    if (!token.map) return;
    const place = placeOf(token.content, token.map[0]);
    const { html, places } = htmlOfBlock(token);
    const { text, starts, ends } = visibleText(html);
    for (let at = 0; at < text.length; at++) {
      const end = place(places((ends[at] as number) - 1)) + 1;
      builder.addAs(text.charAt(at), { start: place(places(starts[at] as number)), end });
    }
  }

  function addInline({ content, map, children }: Token): void {
    if (!map) return;
    const place = placeOf(content, map[0]);
    for (const { part, from, to } of alignInline(content, children ?? [])) {
      const isVerbatim = part === content.slice(from, to);
      if (!isVerbatim) builder.addAs(part, { start: place(from), end: place(to - 1) + 1 });
      else if (source.startsWith(part, place(from))) builder.add(part, place(from));
      // A table cell has more backslashes in its source (`\|`), so its parts stand for the whole
      // row.
      else builder.addAs(part, { start: place(0), end: lineStart(map[1]) });
    }
  }

  /** Returns the position in the source of an index in a block's content. */
  function placeOf(content: string, firstLine: number): (index: number) => number {
    if (cellLine !== firstLine) [cellLine, cellFrom] = [firstLine, lineStart(firstLine)];
    const starts: number[] = [];
    const places: number[] = [];
    let start = 0;
    for (const [index, line] of content.split('\n').entries()) {
      const from = isCell ? cellFrom : lineStart(firstLine + index);
      const whole = source.slice(from, lineStart(firstLine + index + 1));
      // Markers come before the content, but a cell comes before other cells.
      const at = isCell ? whole.indexOf(line) : whole.lastIndexOf(line);
      starts.push(start);
      places.push(from + Math.max(0, at));
      if (isCell && at >= 0) cellFrom = from + at + line.length;
      start += line.length + 1;
    }
    let line = 0;
    return (index) => {
      if (index < (starts[line] as number)) line = 0;
      while (line + 1 < starts.length && (starts[line + 1] as number) <= index) line++;
      return (places[line] as number) + index - (starts[line] as number);
    };
  }
}

/** Returns where each line begins, with the parser's line breaks. */
function startsOfLines(source: string): number[] {
  const starts = [0];
  for (const match of source.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}
