import type { EditorView } from '@codemirror/view';

/** Keeps the text and its preview scrolled to the same place. */
export interface ScrollSync {
  /** Call after the article has changed: scrolls it to where the text is. */
  refresh(): void;
}

/** A line of the text and its offset in the article, in pixels. */
interface Mark {
  line: number;
  top: number;
}

/**
 * Syncs scrolling between the text and the article, using the line numbers of the article's blocks.
 * The side that the user last touched leads, and the other follows.
 */
export function syncScroll(view: EditorView, pane: HTMLElement): ScrollSync {
  const text = view.scrollDOM;
  let leader: HTMLElement = text;
  for (const side of [text, pane]) {
    for (const type of ['pointerdown', 'wheel', 'touchstart', 'focusin', 'keydown']) {
      side.addEventListener(
        type,
        () => {
          leader = side;
        },
        { passive: true, capture: true },
      );
    }
  }

  const follow = () => {
    if (pane.clientHeight === 0 || text.clientHeight === 0) return;
    if (leader === text) pane.scrollTop = topOf(marksOf(pane), lineAtTop(view), pane, text);
    else scrollToLine(view, lineOf(marksOf(pane), pane.scrollTop), pane);
  };
  let isWaiting = false;
  const soon = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      follow();
    });
  };
  text.addEventListener('scroll', () => leader === text && soon(), { passive: true });
  pane.addEventListener('scroll', () => leader === pane && soon(), { passive: true });
  return {
    refresh() {
      if (leader === text) soon();
    },
  };
}

/** Returns the line at the top of the text, with a fraction: 3.5 is the middle of line 3. */
function lineAtTop(view: EditorView): number {
  const { scrollTop } = view.scrollDOM;
  const height = Math.max(0, scrollTop - view.documentPadding.top);
  const block = view.lineBlockAtHeight(height);
  const share = block.height > 0 ? (height - block.top) / block.height : 0;
  return view.state.doc.lineAt(block.from).number + Math.min(1, Math.max(0, share));
}

function scrollToLine(view: EditorView, line: number, pane: HTMLElement): void {
  const text = view.scrollDOM;
  if (isAtEnd(pane)) {
    text.scrollTop = text.scrollHeight;
    return;
  }
  const { doc } = view.state;
  const number = Math.min(doc.lines, Math.max(1, Math.floor(line)));
  const block = view.lineBlockAt(doc.line(number).from);
  text.scrollTop = block.top + (line - number) * block.height + view.documentPadding.top;
}

function marksOf(pane: HTMLElement): Mark[] {
  const origin = pane.getBoundingClientRect().top - pane.scrollTop;
  const marks: Mark[] = [{ line: 1, top: 0 }];
  for (const element of pane.querySelectorAll<HTMLElement>('[data-line]')) {
    // The source of a drawn diagram is folded, so its figure counts.
    const seen = element.closest('figure.diagram') ?? element;
    const line = Number(element.dataset.line);
    const top = seen.getBoundingClientRect().top - origin;
    const last = marks.at(-1) as Mark;
    if (line > last.line && top >= last.top) marks.push({ line, top });
  }
  return marks;
}

function topOf(marks: Mark[], line: number, pane: HTMLElement, text: HTMLElement): number {
  if (isAtEnd(text)) return pane.scrollHeight;
  const [before, after] = around(marks, (mark) => mark.line > line);
  if (!after) return before.top;
  return (
    before.top + ((line - before.line) / (after.line - before.line)) * (after.top - before.top)
  );
}

function lineOf(marks: Mark[], top: number): number {
  const [before, after] = around(marks, (mark) => mark.top > top);
  if (!after) return before.line;
  return before.line + ((top - before.top) / (after.top - before.top)) * (after.line - before.line);
}

/** Returns the last mark before a position and the first one after it. */
function around(marks: Mark[], isBeyond: (mark: Mark) => boolean): [Mark, Mark | undefined] {
  const next = marks.findIndex(isBeyond);
  const before = next === -1 ? marks.at(-1) : marks[Math.max(0, next - 1)];
  return [before as Mark, marks[next]];
}

function isAtEnd({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean {
  return scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2;
}
