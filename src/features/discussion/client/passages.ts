import type { Passage } from './reading.ts';

/**
 * Passages of a rendered brief. The server counts characters without white space from the start of
 * a block (`base/markdown/quotes.ts`). It doesn't count text without source, or text added by scripts.
 */

/**
 * `WITHOUT_SOURCE` of `base/markdown/rendered-text.ts`, the buttons of `copy.ts`, the frame of
 * `diagram-renderer.ts`, and words that are gone (`revisions/client/rendered-changes.ts`).
 */
const WITHOUT_SOURCE =
  'math, .math-error, .mermaid-source, .anchor, .footnote-ref, .footnote-backref, ' +
  '.markdown-alert-title, .copy-code, .diagram-frame';
const SKIPPED = `${WITHOUT_SOURCE}, del.gone`;

/** What isn't in the text since which changes are shown: it has the words that are gone. */
const SKIPPED_BEFORE = `${WITHOUT_SOURCE}, ins.new-words, .added-block`;

/** How many characters on each side distinguish a selection from the same words elsewhere. */
const AROUND = 32;

/** Returns an article's text nodes that have a source, in order. */
function textNodes(article: Element, skipped = SKIPPED): Text[] {
  const walker = document.createTreeWalker(
    article,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
    (node) => {
      if (node instanceof Text) return NodeFilter.FILTER_ACCEPT;
      const isSkipped = (node as Element).matches(skipped);
      return isSkipped ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
    },
  );
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  return nodes;
}

/** A passage as described by its card: `renderedRanges` of the server. */
export interface Place {
  line: number;
  start: number;
  quote: string;
}

/** Finds passages in an article. */
export function createFinder(article: Element): {
  block(line: number): Element | undefined;
  range(place: Place): Range | undefined;
} {
  const nodes = textNodes(article);
  /** For each element, the index of its first text node. */
  const firstIn = new Map<Element, number>();
  for (const [index, node] of nodes.entries()) {
    for (let at = node.parentElement; at && !firstIn.has(at); at = at.parentElement) {
      firstIn.set(at, index);
    }
  }
  const blocks = new Map<string, Element>();
  for (const block of article.querySelectorAll('[data-line]')) {
    // The last element with a line is the innermost.
    blocks.set(block.getAttribute('data-line') ?? '', block);
  }
  const blockOf = (line: number) => (line === 0 ? article : blocks.get(String(line)));
  return {
    block: blockOf,
    range({ line, start, quote }) {
      const block = blockOf(line);
      const length = quote.replaceAll(/\s/g, '').length;
      if (!block || length === 0) return undefined;
      const range = document.createRange();
      let passed = 0;
      for (let at = firstIn.get(block) ?? nodes.length; at < nodes.length; at++) {
        const node = nodes[at] as Text;
        for (const { 0: unit, index } of node.data.matchAll(/\S/g)) {
          if (passed === start) range.setStart(node, index);
          passed++;
          if (passed < start + length) continue;
          range.setEnd(node, index + unit.length);
          return range;
        }
      }
      return undefined;
    },
  };
}

/**
 * Describes a selection in an article. Words that are gone, which are shown with the changes, are
 * described in the revision that had them.
 *
 * @returns undefined if it has no text with a source
 */
export function describeSelection(article: HTMLElement, range: Range): Passage | undefined {
  const passage = describe(article, range, SKIPPED);
  const since = Number(article.dataset.changesSince);
  if (passage || !(since > 0)) return passage;
  const gone = describe(article, range, SKIPPED_BEFORE);
  // Lines of the new text say nothing about the old one.
  return gone && { ...gone, line: 0, revision: since };
}

function describe(article: Element, range: Range, skipped: string): Passage | undefined {
  let [before, quote, after] = ['', '', ''];
  let block: Element | null | undefined;
  for (const node of textNodes(article, skipped)) {
    const [from, to] = partOf(node, range);
    before += node.data.slice(0, from);
    quote += node.data.slice(from, to);
    after += node.data.slice(to);
    if (block === undefined && node.data.slice(from, to).trim() !== '') {
      block = node.parentElement?.closest('[data-line]') ?? null;
    }
  }
  if (quote.trim() === '') return undefined;
  const isInside = block && article.contains(block);
  return {
    quote: quote.trim(),
    prefix: before.slice(-AROUND),
    suffix: after.slice(0, AROUND),
    line: isInside ? Number(block?.getAttribute('data-line')) : 0,
  };
}

/**
 * Returns the part of a text node that is in a range. For a node after the range, the part is
 * empty.
 */
function partOf(node: Text, range: Range): [from: number, to: number] {
  const { length } = node.data;
  if (range.comparePoint(node, length) < 0) return [length, length];
  if (range.comparePoint(node, 0) > 0) return [0, 0];
  const from = range.startContainer === node ? range.startOffset : 0;
  const to = range.endContainer === node ? range.endOffset : length;
  return [from, to];
}
