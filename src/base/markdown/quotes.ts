import type { Range } from '../text/port.ts';
import {
  isFound,
  type QuoteInput,
  type QuoteSearch,
  searchQuote,
  searchSqueezed,
  squeezedSource,
} from '../text/quote-search.ts';
import { withoutSpace } from '../text/without-space.ts';
import { type RenderedText, renderedText } from './rendered-text.ts';

/** A quote of a brief: from the source, or as a reader sees it with the block that it begins in. */
export interface BriefQuote extends QuoteInput {
  /** The `data-line` of the element that the quote begins in; 0 if there is none. */
  line?: number;
}

/** A passage in a rendered brief. */
export interface RenderedRange {
  /**
   * The `data-line` of the element that it begins in; if several have it, of the last. 0 means the
   * whole article, because an author's HTML has no lines.
   */
  line: number;
  /** How many characters of that element's text come before, without white space. */
  start: number;
  /**
   * The text with single spaces. It can continue in later elements. Empty if nothing of the source
   * is shown as text, such as an image or a formula; then mark the element.
   */
  quote: string;
}

/**
 * Finds a quote in a brief and returns its range in the source. White space can differ.
 * With a line, the quote is a reader's selection, so searches the rendered text first. Without one,
 * searches the source first, which agents read.
 *
 * @throws RenderLimitError if the source exceeds a limit of `limits.ts`
 */
export function findQuote(source: string, input: BriefQuote): QuoteSearch {
  const searches = [
    () => searchQuote(source, input),
    () => searchSqueezed(squeezedSource(source), input),
    () => findRendered(renderedText(source), input),
  ];
  if (input.line !== undefined) searches.unshift(searches.pop() as () => QuoteSearch);
  let count = 0;
  for (const search of searches) {
    const found = search();
    if (isFound(found)) return found;
    count ||= found.count;
  }
  return { problem: count > 0 ? 'several' : 'none', count };
}

function findRendered(rendered: RenderedText, input: BriefQuote): QuoteSearch {
  const { line } = input;
  if (!line) return searchSqueezed(rendered, input);
  const { leaves } = rendered;
  const lastLine = leaves.find((leaf) => leaf.line === line)?.lastLine ?? line;
  const inBlock = leaves.filter((leaf) => leaf.line >= line && leaf.lastLine <= lastLine);
  return searchSqueezed(rendered, input, (at) =>
    inBlock.some(({ from, to }) => from <= at && at < to),
  );
}

/**
 * Returns the source range of the block with a `data-line`, for comments on something without text;
 * `undefined` if there is none.
 *
 * @throws RenderLimitError if the source exceeds a limit of `limits.ts`
 */
export function blockAt(source: string, line: number): Range | undefined {
  const leaf = renderedText(source).leaves.find((each) => line > 0 && each.line === line);
  return leaf && withoutSpace(source, leaf.source);
}

/**
 * Returns where passages of a brief's source are shown; `undefined` for those that are not shown,
 * such as front matter.
 *
 * @throws RenderLimitError if the source exceeds a limit of `limits.ts`
 */
export function renderedRanges(
  source: string,
  ranges: readonly Range[],
): (RenderedRange | undefined)[] {
  const rendered = renderedText(source);
  return ranges.map((range) => renderedRange(source, rendered, range));
}

function renderedRange(
  source: string,
  { leaves, starts, ends, text }: RenderedText,
  { start, end }: Range,
): RenderedRange | undefined {
  const overlaps = (each: Range) => each.start < Math.max(end, start + 1) && start < each.end;
  const isShown = (at: number) =>
    overlaps({ start: starts[at] as number, end: ends[at] as number });
  const touched = leaves.filter((leaf) => overlaps(leaf.source));
  for (const leaf of touched) {
    let from = leaf.from;
    while (from < leaf.to && !isShown(from)) from++;
    if (from === leaf.to) continue;
    return { line: leaf.line, start: from - leaf.blockFrom, quote: shownFrom(from) };
  }
  const [first] = touched;
  return first && { line: first.line, start: 0, quote: '' };

  /**
   * Collects the shown text that comes from the range, with spaces where the source has white
   * space.
   */
  function shownFrom(from: number): string {
    let quote = '';
    for (let at = from; at < text.length && isShown(at); at++) {
      const before = at > from ? source.slice(ends[at - 1], starts[at]) : '';
      quote += (/\s/.test(before) ? ' ' : '') + text[at];
    }
    return quote;
  }
}
