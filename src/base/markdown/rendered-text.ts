import type { Token } from 'markdown-it';
import { visibleText } from '../text/page-quotes.ts';
import type { Range } from '../text/port.ts';
import { type Squeezed, squeezedBuilder } from '../text/quote-search.ts';
import type { RenderEnvironment } from './environment.ts';
import { readFrontMatter } from './front-matter.ts';
import { htmlOfBlock } from './html-in-prose.ts';
import { alignInline } from './inline-alignment.ts';
import { MAX_SOURCE_LENGTH, RenderLimitError } from './limits.ts';
import { createParser, fenceLanguage } from './parser.ts';
import { type PlacedBlock, placesOfBlock, startsOfLines } from './source-places.ts';

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
  'math, .math-error, .missing-picture, .mermaid-source, .anchor, .footnote-ref, .footnote-backref, .markdown-alert-title';

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
  const partsOf = shownParts(source, tokens);
  const lineStarts = startsOfLines(source);
  const builder = squeezedBuilder();
  const leaves: Leaf[] = [];
  const open: (Block | undefined)[] = [];
  for (const token of tokens) {
    if (token.nesting < 0) open.pop();
    else if (token.nesting > 0) open.push(blockOf(token));
    else if (token.type === 'inline' || token.type === 'html_block') addLeaf(token);
    else addLeaf(token, blockOf(token));
  }
  return { ...builder.done(), leaves };

  function blockOf({ map, hidden, tag }: Token): Block | undefined {
    if (!map || hidden || tag === '') return undefined;
    return { line: map[0] + 1, lastLine: map[1], from: builder.length() };
  }

  function addLeaf(token: Token, block = open.findLast((each) => each !== undefined)): void {
    const from = builder.length();
    for (const { part, start, end } of partsOf(token)) {
      if (part === undefined) continue;
      if (source.slice(start, end) === part) builder.add(part, start);
      else builder.addAs(part, { start, end });
    }
    const { map } = token;
    if (!map) return;
    const to = builder.length();
    const { line, lastLine, from: blockFrom } = block ?? ARTICLE;
    const [start, end] = [lineStarts[map[0]] ?? source.length, lineStarts[map[1]] ?? source.length];
    leaves.push({ line, lastLine, blockFrom, from, to, source: { start, end } });
  }
}

/** A token of a block in the source, with the text that it shows, if any. */
export interface ShownPart extends Range {
  token: Token;
  part?: string;
}

/**
 * Returns a function that yields what a block shows. A text whose place isn't certain stands for all
 * lines of the block. Gives the content of table cells a `map`.
 */
export function shownParts(
  source: string,
  tokens: readonly Token[],
): (block: Token) => Generator<ShownPart> {
  const lineStarts = startsOfLines(source);
  const lineStart = (line: number): number => lineStarts[line] ?? source.length;
  const blocks = new Map<Token, PlacedBlock>();
  for (const block of placesOfBlock(source, lineStarts, tokens)) blocks.set(block.token, block);

  return function* partsOf(block) {
    const { type, map, content } = block;
    if (!map) return;
    if (type === 'inline') {
      for (const { token, part, from, to } of alignInline(content, block.children ?? [])) {
        yield* placed(block, token, part, from, to);
      }
    } else if (type === 'html_block') {
      const { html, places } = htmlOfBlock(block);
      const { text, starts, ends } = visibleText(html);
      for (let at = 0; at < text.length; at++) {
        const end = places((ends[at] as number) - 1) + 1;
        yield* placed(block, block, text.charAt(at), places(starts[at] as number), end);
      }
    } else if (type === 'fence' && !/^(?:math|mermaid)$/.test(fenceLanguage(block))) {
      yield* linesOf(block, map[0] + 1);
    } else if (type === 'code_block') yield* linesOf(block, map[0]);
  };

  function* placed(
    block: Token,
    token: Token,
    part: string | undefined,
    from: number,
    to: number,
  ): Generator<ShownPart> {
    const { place, isCell = false } = blocks.get(block) ?? {};
    const isBar = isCell && block.content[from] === '|';
    const first = place?.(from);
    const last = place?.(to - 1);
    const start = first === undefined || !isBar ? first : first - 1;
    if (start === undefined || last === undefined) {
      const [from, to] = block.map as [number, number];
      if (part !== undefined) yield { token, part, start: lineStart(from), end: lineStart(to) };
    } else if (part === undefined) yield { token, start, end: last + 1 };
    else if (isCell && to - from > 1 && part === block.content.slice(from, to)) {
      for (let at = 0; at < part.length; at++) {
        yield* placed(block, token, part.charAt(at), from + at, from + at + 1);
      }
    } else yield { token, part, start, end: last + 1 };
  }

  /** Yields lines of code. In the source they differ only in their indent. */
  function* linesOf(token: Token, firstLine: number): Generator<ShownPart> {
    for (const [index, line] of token.content.split('\n').entries()) {
      const from = lineStart(firstLine + index);
      // Tabs in the indent may have become spaces.
      const part = line.trim();
      const at = source.slice(from, lineStart(firstLine + index + 1)).lastIndexOf(part);
      if (at >= 0) yield { token, part, start: from + at, end: from + at + part.length };
    }
  }
}
