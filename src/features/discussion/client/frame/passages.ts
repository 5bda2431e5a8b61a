import { equalAround } from '../../../../base/text/equal-around.ts';
import { natives } from './natives.ts';
import { isElement, type PageText } from './page-text.ts';

/** How many characters on each side distinguish a selection from the same words elsewhere. */
const AROUND = 32;
const MOST_OCCURRENCES = 1_000;

/** A passage, as the page around the frame describes it. Texts have no white space. */
export interface Quote {
  quote: string;
  prefix: string;
  suffix: string;
}

/**
 * Finds a quote, preferably in the given element. If it occurs several times, chooses the place
 * whose surroundings are most similar.
 */
export function findQuote(
  { text, runs }: PageText,
  { quote, prefix, suffix }: Quote,
  element: Element | undefined,
): Range | undefined {
  if (quote === '') return undefined;
  let best = -1;
  let most = -1;
  let at = natives.indexOf(text, quote);
  for (let count = 0; at >= 0 && count < MOST_OCCURRENCES; count++) {
    const { node } = runs[runAt(runs, at)] as { node: Text };
    const isInside = element !== undefined && natives.contains(element, node);
    const score =
      (isInside ? 4 * AROUND : 0) +
      equalAround(text, { start: at, end: at + quote.length }, { prefix, suffix });
    if (score > most) {
      best = at;
      most = score;
    }
    at = natives.indexOf(text, quote, at + 1);
  }
  return best < 0 ? undefined : rangeOf(runs, best, best + quote.length);
}

/** Returns the index of the run that contains a character. */
function runAt(runs: PageText['runs'], at: number): number {
  let low = 0;
  let high = runs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((runs[middle] as PageText['runs'][number]).at <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function rangeOf(runs: PageText['runs'], start: number, end: number): Range {
  const range = new natives.Range();
  const first = runs[runAt(runs, start)] as PageText['runs'][number];
  const last = runs[runAt(runs, end - 1)] as PageText['runs'][number];
  natives.setStart(range, first.node, first.from + start - first.at);
  natives.setEnd(range, last.node, last.from + end - last.at);
  return range;
}

/** The data that the server needs to find a selection. */
export interface Selected extends Quote {
  /** The innermost element that it begins in. */
  element: Element | undefined;
}

/** Describes a range of the page; undefined if it has no visible text. */
export function describeRange({ text, runs }: PageText, range: Range): Selected | undefined {
  let quote = '';
  let element: Element | undefined;
  let start = -1;
  let end = -1;
  for (let index = 0; index < runs.length; index++) {
    const { node, at, from, to, isApart } = runs[index] as PageText['runs'][number];
    if (natives.comparePoint(range, node, from) > 0) break;
    if (natives.comparePoint(range, node, to) < 0) continue;
    const first =
      natives.startContainer(range) === node ? natives.max(from, natives.startOffset(range)) : from;
    const last =
      natives.endContainer(range) === node ? natives.min(to, natives.endOffset(range)) : to;
    if (first >= last) continue;
    if (start < 0) {
      start = at + first - from;
      const parent = natives.parentNode(node);
      element = parent && isElement(parent) ? parent : undefined;
    } else if (isApart) quote += ' ';
    quote += natives.slice(natives.textOf(node), first, last);
    end = at + last - from;
  }
  if (start < 0) return undefined;
  return {
    quote,
    prefix: natives.slice(text, natives.max(0, start - AROUND), start),
    suffix: natives.slice(text, end, end + AROUND),
    element,
  };
}
