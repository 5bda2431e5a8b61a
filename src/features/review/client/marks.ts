import { createFinder, describeSelection } from './passages.ts';
import type { Reading, ReadingListener } from './reading.ts';

/** The space above and below a card in its list item, in pixels; `comments.css` has the same. */
const PADDING = 6;

const articleOf = () => document.querySelector<HTMLElement>('.reading .prose');
const openCards = () => [
  ...document.querySelectorAll<HTMLElement>('#comments > .threads .thread[data-line]'),
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

  function setHighlight(name: 'comment' | 'comment-active', ranges: Iterable<Range>): void {
    // Firefox has these since version 140.
    if ('highlights' in CSS) CSS.highlights.set(name, new Highlight(...ranges));
  }

  const topOf = (card: Element): number | undefined => {
    const passage = passages.get(card.id) ?? blocks.get(card.id);
    return passage?.getBoundingClientRect().top;
  };

  document.addEventListener('click', (event) => {
    const target = event.target as Element;
    if (!target.closest('.prose') || target.closest('a, button, summary, label')) return;
    if (getSelection()?.isCollapsed === false) return;
    const card = cardAt(event);
    if (card) show(card);
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
    align(isBeside) {
      const list = document.querySelector('#comments > .threads');
      if (!list) return;
      const items = [...list.querySelectorAll<HTMLElement>(':scope > li')];
      // Measure everything before moving anything.
      let bottom = list.getBoundingClientRect().top;
      const places = items.map((item) => {
        const card = item.querySelector('.thread');
        return { item, height: item.offsetHeight, top: card ? topOf(card) : undefined };
      });
      for (const { item, height, top } of places) {
        const at = top === undefined ? bottom : Math.max(bottom, top - PADDING);
        item.style.marginTop = isBeside ? `${at - bottom}px` : '';
        bottom = at + height;
      }
    },
    emphasise(card) {
      const passage = card && passages.get(card.id);
      setHighlight('comment-active', passage ? [passage] : []);
      for (const [id, block] of blocks) {
        block.toggleAttribute('data-comment-active', id === card?.id);
      }
    },
    emphasiseSelection() {
      const range = selectedRange();
      setHighlight('comment-active', range ? [range] : []);
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
