import type { Kind } from '../schema/kind.ts';
import { htmlTitle } from '../text/html-title.ts';
import type { Range } from '../text/port.ts';
import type { QuoteSearch } from '../text/quote-search.ts';
import type { Replacement } from '../text/replacement.ts';
import { findWarnings, type Warning, type Written } from '../warnings/warnings.ts';
import { fitInBrief } from './brief-replacement.ts';
import { renderComment } from './comment.ts';
import { RenderLimitError } from './limits.ts';
import {
  type BriefQuote,
  blockAt,
  findQuote,
  type RenderedRange,
  renderedRanges,
} from './quotes.ts';
import type { Reference } from './reference.ts';
import { referencesIn, rewriteReferences } from './references.ts';
import {
  firstHeading,
  type RenderedMarkdown,
  type RenderOptions,
  renderMarkdown,
} from './render.ts';
import { findUnseenLines, type SourceLine } from './unseen-lines.ts';

/** Entry point of the renderer's worker threads. `render-threads.ts` calls these by name. */

export function render([source, options]: [string, RenderOptions]): RenderedMarkdown | undefined {
  return withinLimits(() => renderMarkdown(source, options));
}

export function preview([source, options]: [string, RenderOptions]): RenderedMarkdown | undefined {
  return withinLimits(() => renderMarkdown(source, { ...options, sourceLines: true }));
}

export function heading(source: string): { text: string | undefined } | undefined {
  return withinLimits(() => ({ text: firstHeading(source) }));
}

export function title(html: string): { text: string | undefined } | undefined {
  return withinLimits(() => ({ text: htmlTitle(html) }));
}

export function quote([source, input]: [string, BriefQuote]): QuoteSearch | undefined {
  return withinLimits(() => findQuote(source, input));
}

export function fitted([source, given]: [string, Replacement]):
  | { fitted: Replacement | undefined }
  | undefined {
  return withinLimits(() => ({ fitted: fitInBrief(source, given) }));
}

export function block([source, line]: [string, number]): { range: Range | undefined } | undefined {
  return withinLimits(() => ({ range: blockAt(source, line) }));
}

export function ranges([source, of]: [string, Range[]]): (RenderedRange | undefined)[] | undefined {
  return withinLimits(() => renderedRanges(source, of));
}

export function unseen(source: string): SourceLine[] | undefined {
  return withinLimits(() => findUnseenLines(source));
}

export async function warnings([text, written]: [string, Written]): Promise<Warning[]> {
  return findWarnings(text, written);
}

export function references([text, { kind, own }]: [
  string,
  { kind: Kind; own?: readonly string[] },
]): Reference[] {
  return referencesIn(text, kind, own);
}

export function rewritten([text, { kind, addresses, own }]: [
  string,
  { kind: Kind; addresses: (string | undefined)[]; own?: readonly string[] },
]): string {
  let index = 0;
  return rewriteReferences(text, kind, () => addresses[index++], own);
}

/**
 * Renders comments.
 *
 * @param bodies the comments, as a JSON array of texts
 * @returns `null` for those that cost too much
 */
export function comments([bodies, options]: [string, RenderOptions]): (string | null)[] {
  const texts = JSON.parse(bodies) as string[];
  return texts.map((body) => withinLimits(() => renderComment(body, options)) ?? null);
}

/** Returns undefined if the work exceeds a limit or overflows the stack. */
function withinLimits<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RenderLimitError || error instanceof RangeError) return undefined;
    throw error;
  }
}
