import { createFinder, describeSelection } from './passages.ts';
import type { Reading, ReadingListener } from './reading.ts';

/** The space above and below a card in its list item, in pixels; `comments.css` has the same. */
const PADDING = 6;

/** How far the cards may go beyond the text, in pixels; a column that is longer scrolls by itself. */
const BEYOND = 240;

const articleOf = () => document.querySelector<HTMLElement>('.reading .prose');
const openCards = () => [
  ...document.querySelectorAll<HTMLElement>(
    '#comments > .threads > li:not([hidden]) > .thread[data-line]',
  ),
];

/** Returns the selection in the article. */
function selectedRange(): Range | undefined {
  const selection = getSelection();
  const article = articleOf();
  if (!article || !selection || selection.isCollapsed || selection.rangeCount === 0)
    return undefined;
  const range = selection.getRangeAt(0);
  return article.contains(range.commonAncestorContainer) ? range.cloneRange() : undefined;
}

/** Marks the passages of comments in a brief, and places the cards beside them. */
export function createArticleReading({ show }: Pick<ReadingListener, 'show'>): Reading {
  const passages = new Map<string, Range>();
  /** Elements without text, such as images. */
  const blocks = new Map<string, Element>();
  /** The passage of the comment that is being written. */
  let held: Range | undefined;
  /** By how much the column is moved up, in pixels; not above 0. */
  let shift = 0;
  /** The cards of a column that scrolls by itself, and the active one. */
  let anchors: Element[] = [];
  let anchor: Element | undefined;

  function setHighlight(name: 'comment' | 'comment-active', ranges: Iterable<Range>): void {
    // Firefox has these since version 140.
    if ('highlights' in CSS) CSS.highlights.set(name, new Highlight(...ranges));
  }

  const topOf = (card: Element): number | undefined => {
    if (card.matches('.composer')) return held?.getBoundingClientRect().top;
    const passage = passages.get(card.id) ?? blocks.get(card.id);
    return passage?.getBoundingClientRect().top;
  };

  /** Scrolls a column that scrolls by itself to the passages that are in view. */
  function follow(): void {
    const panel = document.querySelector<HTMLElement>('#comments.packed');
    if (!panel) return;
    const isInView = (card: Element) => {
      const top = topOf(card);
      return top !== undefined && top > innerHeight / 10 && top < innerHeight;
    };
    const isExact = anchor !== undefined && isInView(anchor);
    const card = isExact ? anchor : anchors.find(isInView);
    const top = card && topOf(card);
    if (!card || top === undefined) return;
    const first = anchors[0]?.parentElement as HTMLElement;
    const pad = Number.parseFloat(first.style.marginTop) || 0;
    const below = top - card.getBoundingClientRect().top - panel.scrollTop + pad;
    first.style.marginTop = isExact && below > 0 ? `${below}px` : '';
    panel.scrollTop = Math.max(0, -below);
  }
  addEventListener('scroll', () => requestAnimationFrame(follow), { passive: true });

  document.addEventListener('click', (event) => {
    const target = event.target as Element;
    if (!target.closest('.prose') || target.closest('a, button, summary, label')) return;
    if (getSelection()?.isCollapsed === false) return;
    show(cardAt(event));
  });

  return {
    draw() {
      const article = articleOf();
      passages.clear();
      for (const block of blocks.values()) block.removeAttribute('data-commented');
      blocks.clear();
      if (!article) return;
      const finder = createFinder(article);
      for (const card of openCards()) {
        const { line, start, quote = '' } = card.dataset;
        const range = finder.range({ line: Number(line), start: Number(start), quote });
        const block = finder.block(Number(line));
        if (range) passages.set(card.id, range);
        else if (block && block !== article) {
          blocks.set(card.id, block);
          block.setAttribute('data-commented', '');
        }
      }
      setHighlight('comment', passages.values());
    },
    align(isBeside, active) {
      const [panel, article] = [document.querySelector<HTMLElement>('#comments'), articleOf()];
      const list = panel?.querySelector(':scope > .threads');
      if (!panel || !list || !article) return false;
      const items = [...list.querySelectorAll<HTMLElement>(':scope > li:not([hidden])')];
      const cards = items.map((item) => item.querySelector('.thread, .composer') as Element);
      // Measure everything before moving anything.
      const origin = list.getBoundingClientRect().top - shift;
      const end = article.getBoundingClientRect().bottom - origin + BEYOND;
      // Not `offsetHeight`, whose rounding adds up over a hundred cards.
      const heights = items.map((item) => item.getBoundingClientRect().height);
      const wanted = cards.map((card) => {
        const top = topOf(card);
        return top === undefined ? undefined : top - PADDING - origin;
      });
      const at = active ? cards.indexOf(active) : -1;
      const total = heights.reduce((sum, height, index) => sum + (index === at ? 0 : height), 0);
      const isPacked = isBeside && total > article.offsetHeight + BEYOND;
      panel.classList.toggle('packed', isPacked);
      const tops = isBeside && !isPacked ? stack(heights, wanted, end, at) : undefined;
      // The cards before the active one make room upwards, and the whole column with them.
      shift = Math.min(0, tops?.[0] ?? 0);
      panel.style.marginTop = shift < 0 ? `${shift}px` : '';
      panel.style.setProperty('--shift', `${shift}px`);
      let bottom = shift;
      for (const [index, item] of items.entries()) {
        const top = tops?.[index];
        item.style.marginTop = top === undefined ? '' : `${top - bottom}px`;
        bottom = (top ?? 0) + (heights[index] ?? 0);
      }
      anchors = isPacked ? cards : [];
      anchor = isPacked ? active : undefined;
      follow();
      return isBeside && wanted[at] !== undefined;
    },
    emphasise(card) {
      const passage = card && passages.get(card.id);
      setHighlight('comment-active', passage ? [passage] : []);
      for (const [id, block] of blocks) {
        block.toggleAttribute('data-comment-active', id === card?.id);
      }
    },
    holdSelection() {
      held = selectedRange();
      setHighlight('comment-active', held ? [held] : []);
      const top = held?.getBoundingClientRect().top;
      if (top === undefined) return { isPlaced: false, before: undefined };
      const before = openCards().find((card) => (topOf(card) ?? 0) > top);
      return { isPlaced: true, before };
    },
    async selected() {
      const [range, article] = [selectedRange(), articleOf()];
      return range && article ? describeSelection(article, range) : undefined;
    },
    selectionBox() {
      const box = selectedRange()?.getBoundingClientRect();
      return box && box.height > 0 ? box : undefined;
    },
    onSelection: (hear) => document.addEventListener('selectionchange', hear),
    reveal(card) {
      const top = topOf(card);
      if (top === undefined || (top > innerHeight / 8 && top < (innerHeight * 3) / 4)) return;
      const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches
        ? 'instant'
        : 'smooth';
      scrollBy({ top: top - innerHeight / 3, behavior });
    },
  };

  /** Returns the card whose passage is at a point; the shortest, if there are several. */
  function cardAt(event: MouseEvent): HTMLElement | undefined {
    const [node, offset] = caretAt(event);
    const found = [...passages].filter(
      ([, range]) => node && range.isPointInRange(node, offset) && isOn(range, event),
    );
    found.sort(([, one], [, other]) => String(one).length - String(other).length);
    const target = event.target as Node;
    const block = [...blocks].find(([, each]) => each.contains(target));
    const id = found[0]?.[0] ?? block?.[0];
    return id === undefined ? undefined : (document.getElementById(id) ?? undefined);
  }
}

/**
 * Returns the tops of cards, so that each is at its place or as near to it as the others let it be.
 *
 * @param wanted where each would be; `undefined` directly below the one before
 * @param end where the last one ends at the latest, if all fit
 * @param active the index of the card that is exactly at its place; -1 for none
 */
function stack(
  heights: readonly number[],
  wanted: readonly (number | undefined)[],
  end: number,
  active: number,
): number[] {
  const tops: number[] = [];
  const heightOf = (index: number) => heights[index] ?? 0;
  const pushDown = (from: number, start: number) => {
    let bottom = start;
    for (let index = from; index < heights.length; index++) {
      tops[index] = Math.max(bottom, tops[index] ?? wanted[index] ?? bottom);
      bottom = (tops[index] as number) + heightOf(index);
    }
  };
  const pushUp = (from: number, start: number) => {
    let top = start;
    for (let index = from; index >= 0; index--) {
      top = Math.min(tops[index] as number, top - heightOf(index));
      tops[index] = top;
    }
  };
  pushDown(0, 0);
  pushUp(
    heights.length - 1,
    Math.max(
      end,
      heights.reduce((sum, height) => sum + height, 0),
    ),
  );
  const exact = wanted[active];
  if (exact === undefined) return tops;
  tops[active] = exact;
  pushUp(active - 1, exact);
  // Those after it don't stay where the ones before it had pushed them.
  tops.length = active + 1;
  pushDown(active + 1, exact + heightOf(active));
  return tops;
}

/**
 * Tells whether the pointer is on the text of a range. Beyond the end of a line, the caret's
 * position is still inside the range, but the range's rectangles don't include the pointer.
 */
function isOn(range: Range, { clientX: x, clientY: y }: MouseEvent): boolean {
  return Array.from(range.getClientRects()).some(
    ({ left, right, top, bottom }) => left <= x && x <= right && top <= y && y <= bottom,
  );
}

function caretAt({ clientX, clientY }: MouseEvent): [node: Node | undefined, offset: number] {
  if ('caretPositionFromPoint' in document) {
    const position = document.caretPositionFromPoint(clientX, clientY);
    return [position?.offsetNode, position?.offset ?? 0];
  }
  // Safari
  const range = (document as Document).caretRangeFromPoint?.(clientX, clientY);
  return [range?.startContainer, range?.startOffset ?? 0];
}
