import { MapMode } from '@codemirror/state';
import { type EditorView, ViewPlugin } from '@codemirror/view';
import { tablePlace } from '../table-keys.ts';
import { focusNow, moveColumnTo, moveRowTo } from './grid-menus.ts';
import { movePart, partsAt } from './move-blocks.ts';

/** The signs of a list's items. */
const SIGNS = '.cm-bullet, .cm-number, .cm-grip';
/** How far a pointer moves before it drags, in pixels. */
const STILL_PX = 5;
/** How near an edge it scrolls, and how far with each frame, in pixels. */
const EDGE_PX = 40;
const SCROLL_PX = 8;

/** Parts, one of which is moved: rows, columns or items. */
interface Parts {
  isAcross: boolean;
  /** Where each begins and ends in the window, in the direction of the movement. */
  spans: [start: number, end: number][];
  /** Which one moves. */
  own: number;
  /** Where the line begins and ends that shows its new place. */
  line: [start: number, end: number];
  scroller: Element;
  moveTo(index: number): (view: EditorView) => unknown;
}

function cellsOf(view: EditorView, handle: Element): Parts | undefined {
  const table = handle.closest('.cm-grid')?.querySelector('table');
  const place = tablePlace(view.state);
  if (!table || !place) return undefined;
  const boxes = (elements: Iterable<Element>) =>
    Array.from(elements, (element) => element.getBoundingClientRect());
  const { top, bottom, left, right } = table.getBoundingClientRect();
  return handle.matches('.cm-handle-column *')
    ? {
        isAcross: true,
        spans: boxes(table.rows[0]?.cells ?? []).map((box) => [box.left, box.right]),
        own: place.column,
        line: [top, bottom],
        scroller: table.parentElement ?? table,
        moveTo: (index) => moveColumnTo(() => index),
      }
    : {
        isAcross: false,
        // The header stays.
        spans: boxes([...table.rows].slice(1)).map((box) => [box.top, box.bottom]),
        own: place.row - 1,
        line: [left, right],
        scroller: view.scrollDOM,
        moveTo: (index) => moveRowTo(() => index + 1),
      };
}

function itemsOf(view: EditorView, at: number): Parts {
  const { parts, index } = partsAt(view.state, at);
  const text = view.contentDOM.getBoundingClientRect();
  return {
    isAcross: false,
    spans: parts.map(({ from, to }) => [
      view.documentTop + view.lineBlockAt(from).top,
      view.documentTop + view.lineBlockAt(to).bottom,
    ]),
    own: index,
    line: [view.coordsAtPos(at - 1)?.left ?? text.left, text.right],
    scroller: view.scrollDOM,
    moveTo: (to) => (target) => movePart(target, at, () => to),
  };
}

/** Moves rows, columns and items of lists by their handles and signs, by mouse and by touch. */
export const dragging = ViewPlugin.define((view) => {
  let handle: Element | undefined;
  /** Where what is dragged is in the text. */
  let at = 0;
  let point = { x: 0, y: 0 };
  /** Shows where it will land, once the pointer has moved. */
  let line: HTMLElement | undefined;
  const isSign = () => handle?.matches(SIGNS) === true;

  const down = (event: PointerEvent) => {
    const found = (event.target as Element).closest(`${SIGNS}, .cm-handle > summary`);
    const { isPrimary, button, shiftKey, ctrlKey, metaKey } = event;
    const isPlain = isPrimary && button === 0 && !shiftKey && !ctrlKey && !metaKey;
    if (!found || !isPlain || view.compositionStarted) return;
    handle = found;
    at = isSign() ? view.posAtDOM(found) + 1 : view.state.selection.main.head;
    point = event;
  };

  /** Keeps an item's sign from selecting text, and from scrolling. */
  const hold = (event: Event) => {
    if (!isSign()) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const move = (event: PointerEvent) => {
    const isStill = Math.hypot(event.x - point.x, event.y - point.y) < STILL_PX;
    if (!handle || !event.isPrimary || (!line && isStill)) return;
    point = event;
    if (line) return;
    line = document.createElement('div');
    line.className = 'cm-landing';
    view.dom.append(line);
    // The click that follows doesn't reach the handle, either.
    view.dom.setPointerCapture(event.pointerId);
    show();
  };

  /** Shows the line, in each frame, and scrolls near an edge. */
  const show = () => {
    if (!line) return;
    requestAnimationFrame(show);
    const found = landing();
    line.hidden = !found || found.isOwn;
    if (!found) return;
    const { parts, edge } = found;
    const { isAcross, scroller } = parts;
    const [start, end] = parts.line;
    const [left, top] = isAcross ? [edge, start] : [start, edge];
    line.style.left = `${left}px`;
    line.style.top = `${top}px`;
    line.style[isAcross ? 'height' : 'width'] = `${end - start}px`;
    const box = scroller.getBoundingClientRect();
    const [is, from, to] = isAcross
      ? [point.x, box.left, box.right]
      : [point.y, box.top, box.bottom];
    const step = is < from + EDGE_PX ? -SCROLL_PX : is > to - EDGE_PX ? SCROLL_PX : 0;
    scroller.scrollBy(isAcross ? step : 0, isAcross ? 0 : step);
  };

  /** Returns where the pointer would put what is dragged. */
  const landing = () => {
    const parts = isSign() ? itemsOf(view, at) : handle && cellsOf(view, handle);
    if (!parts || parts.own < 0) return undefined;
    const { isAcross, spans, own } = parts;
    const is = isAcross ? point.x : point.y;
    const passed = spans.filter(([start, end]) => (start + end) / 2 < is).length;
    const to = passed > own ? passed - 1 : passed;
    const edge = passed === 0 ? spans[0]?.[0] : spans[passed - 1]?.[1];
    return { parts, to, edge, isOwn: to === own };
  };

  const up = (event: PointerEvent) => {
    if (!handle || !event.isPrimary) return;
    const { pointerType } = event;
    const hasMoved = line !== undefined;
    const isClick = isSign() && !hasMoved;
    point = event;
    const found = hasMoved ? landing() : undefined;
    stop();
    if (found && !found.isOwn) found.parts.moveTo(found.to)(view);
    if (isClick) view.dispatch({ selection: { anchor: view.posAtCoords(event, false) } });
    // A phone's keyboard needn't come.
    if (isClick || (hasMoved && pointerType === 'mouse')) focusNow(view);
  };

  const onKey = (event: KeyboardEvent) => {
    if (!line || event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    stop();
  };

  const stop = () => {
    line?.remove();
    handle = undefined;
    line = undefined;
  };

  const whole = new AbortController();
  const { signal } = whole;
  view.contentDOM.addEventListener('pointerdown', down, { signal });
  for (const type of ['mousedown', 'touchstart'])
    view.contentDOM.addEventListener(type, hold, { signal, capture: true, passive: false });
  window.addEventListener('pointermove', move, { signal });
  window.addEventListener('pointerup', up, { signal });
  window.addEventListener('pointercancel', stop, { signal });
  window.addEventListener('keydown', onKey, { signal, capture: true });

  return {
    update({ changes }) {
      if (!handle) return;
      const now = changes.mapPos(at, 1, MapMode.TrackDel);
      // Someone else has removed it.
      if (now === null) stop();
      else at = now;
    },
    destroy() {
      stop();
      whole.abort();
    },
  };
});
