import { htmlTitle } from '../document/html-title.ts';
import type { Range } from '../text/port.ts';
import type { QuoteSearch } from '../text/quote-search.ts';
import { renderComment } from './comment.ts';
import { RenderLimitError } from './limits.ts';
import {
  type BriefQuote,
  blockAt,
  findQuote,
  type RenderedRange,
  renderedRanges,
} from './quotes.ts';
import { firstHeading, type RenderedMarkdown, renderMarkdown } from './render.ts';

/** Entry point of the renderer's worker threads. `renderer.ts` calls these by name. */

export function ready(): void {}

export function render(source: string): RenderedMarkdown | undefined {
  return orTooCostly(() => renderMarkdown(source));
}

export function preview(source: string): RenderedMarkdown | undefined {
  return orTooCostly(() => renderMarkdown(source, { sourceLines: true }));
}

export function heading(source: string): { text: string | undefined } | undefined {
  return orTooCostly(() => ({ text: firstHeading(source) }));
}

export function title(html: string): { text: string | undefined } | undefined {
  return orTooCostly(() => ({ text: htmlTitle(html) }));
}

export function quote([source, input]: [string, BriefQuote]): QuoteSearch | undefined {
  return orTooCostly(() => findQuote(source, input));
}

export function block([source, line]: [string, number]): { range: Range | undefined } | undefined {
  return orTooCostly(() => ({ range: blockAt(source, line) }));
}

export function ranges([source, of]: [string, Range[]]): (RenderedRange | undefined)[] | undefined {
  return orTooCostly(() => renderedRanges(source, of));
}

/** @param bodies the comments, as a JSON array of texts. @returns `null` for those that cost too much */
export function comments(bodies: string): (string | null)[] {
  const texts = JSON.parse(bodies) as string[];
  return texts.map((body) => orTooCostly(() => renderComment(body)) ?? null);
}

/** Returns undefined if the work exceeds a limit or overflows the stack. */
function orTooCostly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RenderLimitError || error instanceof RangeError) return undefined;
    throw error;
  }
}
