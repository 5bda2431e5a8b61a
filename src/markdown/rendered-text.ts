import type { Token } from 'markdown-it';
import { visibleText } from '../text/page-quotes.ts';
import { type Squeezed, squeezedBuilder } from '../text/quote-search.ts';
import type { RenderEnvironment } from './environment.ts';
import { readFrontMatter } from './front-matter.ts';
import { MAX_SOURCE_LENGTH, RenderLimitError } from './limits.ts';
import { createParser } from './parser.ts';

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

/** After so many tokens that weren't found in a block, the rest of it has no source. */
const MAX_FAILURES = 100;

/** A longer link destination counts as text. */
const MAX_DESTINATION = 4_000;

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
    } else if (token.type === 'fence' && !/^(math|mermaid)\b/.test(token.info.trim())) {
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
      ...{ line, lastLine, blockFrom, from, to },
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

  function addHtml({ content, map }: Token): void {
    if (!map) return;
    const place = placeOf(content, map[0]);
    const { text, starts, ends } = visibleText(content);
    for (let at = 0; at < text.length; at++) {
      const end = place((ends[at] as number) - 1) + 1;
      builder.addAs(text.charAt(at), { start: place(starts[at] as number), end });
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

/** Rendered text, and its range in the block's content. */
interface Aligned {
  part: string;
  from: number;
  to: number;
}

/** Yields the texts of a block's tokens with their ranges in its content. None spans lines. */
function* alignInline(content: string, tokens: readonly Token[]): Generator<Aligned> {
  let cursor = 0;
  let failures = 0;
  const skip = (sought: string): number => {
    const at = sought === '' || failures > MAX_FAILURES ? -1 : content.indexOf(sought, cursor);
    if (at >= 0) cursor = at + sought.length;
    else failures++;
    return at;
  };
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'text' || token.type === 'text_special') {
      const written = token.info === 'escape' || token.info === 'entity' ? token.markup : '';
      const at = skip(written || token.content);
      if (at >= 0) yield { part: token.content, from: at, to: cursor };
    } else if (token.type === 'code_inline') {
      skip(token.markup);
      const from = cursor;
      const end = content.indexOf(token.markup, from);
      for (const word of token.content.trim().split(/\s+/)) {
        const at = skip(word);
        if (at >= 0) yield { part: word, from: at, to: cursor };
      }
      if (end >= 0) skip(token.markup);
    } else if (token.type === 'link_close' && token.markup === '') {
      const next = tokens[index + 1]?.content;
      const close = content.indexOf(']', cursor);
      // A link that is only its text can be followed by brackets.
      const isAlone = next && close >= 0 && content.startsWith(next, close + 1);
      cursor = isAlone ? close + 1 : endOfDestination(content, cursor);
    } else if (token.type === 'image') {
      skip('![');
      if (token.content !== '') skip(token.content);
      cursor = endOfDestination(content, cursor);
    } else if (token.type === 'footnote_ref') {
      skip('[^');
      skip(']');
    } else if (token.type === 'html_inline' || token.type === 'math_inline') {
      skip(token.content);
      if (token.type === 'math_inline') cursor += token.markup.length;
    } else if (token.type === 'softbreak' || token.type === 'hardbreak') skip('\n');
  }
}

/** Skips the `](address "title")` or `][label]` at the end of a link. */
function endOfDestination(content: string, from: number): number {
  const close = content.indexOf(']', from);
  if (close < 0) return from;
  if (content[close + 1] === '[') {
    const end = content.indexOf(']', close + 2);
    return end < 0 ? close + 1 : end + 1;
  }
  if (content[close + 1] !== '(') return close + 1;
  let depth = 0;
  const end = Math.min(content.length, close + MAX_DESTINATION);
  for (let index = close + 1; index < end; index++) {
    const sign = content[index];
    if (sign === '\\') index++;
    else if (sign === '(') depth++;
    else if (sign === ')' && --depth === 0) return index + 1;
  }
  return close + 1;
}

/** Returns where each line begins, with the parser's line breaks. */
function startsOfLines(source: string): number[] {
  const starts = [0];
  for (const match of source.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}
