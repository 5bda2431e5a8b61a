import { framePlace } from '../../../base/text/frame-place.ts';
import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import { type FrameBox, type FrameMessage, readFrameMessage } from './frame-messages.ts';
import type { Box, Passage, Reading, ReadingListener } from './reading.ts';

const cards = () => [
  ...document.querySelectorAll<HTMLElement>('#comments > .threads .thread[data-element]'),
];

/** How long to wait until the frame says what is selected, in ms. */
const ANSWER_MS = 1_000;
/** The keys that the frame can press. None of them changes any data. */
const KEYS = ['m', 'n', 'p'];

/**
 * Shows comments beside a page in its frame. The frame receives only passages, never authors or
 * comments. Its messages are checked (`frame-messages.ts`), and only the reader's actions outside
 * the frame send anything to the service.
 */
export function createFrameReading(
  first: HTMLIFrameElement,
  { show, press, pick }: ReadingListener,
): Reading {
  let frame = first;
  let port: MessagePort | undefined;
  let shown: HTMLElement[] = [];
  let active = -1;
  let isPicking = false;
  let selection: FrameBox | undefined;
  let boxes: FrameMessage & { kind: 'boxes' } = {
    kind: 'boxes',
    boxes: [],
    selection: [],
    hover: [],
  };
  let answer: ((passage: Passage | undefined) => void) | undefined;
  let hearSelection = () => {};
  const outlines = document.createElement('div');
  outlines.className = 'frame-outlines';
  frame.after(outlines);

  const order = (
    kind: 'places' | 'describe' | 'deselect' | 'reveal' | 'state',
    places: object[] = [],
  ) => port?.postMessage({ kind, places, active, isPicking });

  /** Listens to a frame, and to the one that takes its place when the text has changed. */
  function listen(to: HTMLIFrameElement, firstPort: Promise<MessagePort> | undefined): void {
    frame = to;
    void firstPort?.then((own) => {
      port = own;
      own.onmessage = ({ data }) => {
        const message = readFrameMessage(data);
        if (message && port === own) hear(message);
      };
      // Not every browser reports that a port has closed.
      own.addEventListener('close', () => port === own && lose());
      draw();
    });
    to.addEventListener('replaced', (event) => {
      const { detail: next } = event as CustomEvent<HTMLIFrameElement>;
      port = undefined;
      listen(
        next,
        window.takeReviewPort?.(() => next),
      );
    });
  }

  listen(first, window.reviewPort);
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') stopPicking();
  });

  function lose(): void {
    port = undefined;
    outlines.replaceChildren();
    showToast('The page in the frame has reloaded. Reload this screen to comment on it.');
  }

  function draw(): void {
    shown = cards();
    active = -1;
    order(
      'places',
      shown.map(({ dataset }) => framePlace(dataset, dataset.isElement !== undefined)),
    );
  }

  function stopPicking(): void {
    if (!isPicking) return;
    isPicking = false;
    frame.classList.remove('picking');
    order('state');
  }

  function hear(message: FrameMessage): void {
    switch (message.kind) {
      case 'boxes': {
        boxes = message;
        selection = message.selection[0];
        outline();
        hearSelection();
        break;
      }
      case 'nothing':
        answer?.(undefined);
        break;
      case 'passage': {
        const { quote, prefix, suffix, element } = message;
        answer?.({ quote, prefix, suffix, element });
        break;
      }
      case 'picked': {
        if (!isPicking) return;
        stopPicking();
        pick({ quote: '', prefix: '', suffix: '', element: message.element });
        break;
      }
      case 'hit': {
        const card = shown[message.at];
        if (card?.isConnected) show(card);
        break;
      }
      case 'key':
        if (message.key === 'Escape') stopPicking();
        else if (KEYS.includes(message.key)) press(message.key);
    }
  }

  /**
   * Outlines elements that have comments, and the one under the pointer while the reader chooses
   * one.
   */
  function outline(): void {
    const elements = boxes.boxes.filter(({ at }) => shown[at]?.dataset.isElement !== undefined);
    const drawn = elements.map((box) => outlineOf(box, box.at === active ? 'active' : ''));
    if (isPicking) drawn.push(...boxes.hover.map((box) => outlineOf(box, 'hovered')));
    outlines.replaceChildren(...drawn);
  }

  function outlineOf({ x, y, width, height }: FrameBox, state: string): HTMLElement {
    const element = document.createElement('div');
    element.className = `frame-outline ${state}`;
    Object.assign(element.style, {
      left: `${x}px`,
      top: `${y}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
    return element;
  }

  function emphasise(card: Element | undefined, kind: 'state' | 'reveal' = 'state'): void {
    active = shown.indexOf(card as HTMLElement);
    order(kind);
    outline();
  }

  return {
    draw,
    align() {
      for (const item of document.querySelectorAll<HTMLElement>('#comments > .threads > li')) {
        item.style.marginTop = '';
      }
      return false;
    },
    emphasise,
    // The browser keeps showing the frame's selection while the form has the focus.
    holdSelection: () => ({ isPlaced: false, before: undefined }),
    reveal: (card) => emphasise(card, 'reveal'),
    async selected() {
      if (!port || !selection) return undefined;
      const said = new Promise<Passage | undefined>((resolve) => {
        answer = resolve;
        setTimeout(() => resolve(undefined), ANSWER_MS);
      });
      order('describe');
      const passage = await said;
      answer = undefined;
      return passage;
    },
    clearSelection() {
      selection = undefined;
      order('deselect');
    },
    selectionBox(): Box | undefined {
      if (!selection) return undefined;
      const { left, top, bottom } = frame.getBoundingClientRect();
      const { x, y, width, height } = selection;
      const box = {
        left: left + x,
        right: left + x + width,
        top: top + y,
        bottom: top + y + height,
      };
      return box.bottom > top && box.bottom < bottom ? box : undefined;
    },
    onSelection(hear) {
      hearSelection = hear;
    },
    startPicking() {
      if (!port) return;
      isPicking = true;
      frame.classList.add('picking');
      order('state');
      showToast('Choose an element of the page, or press Esc.');
    },
  };
}
