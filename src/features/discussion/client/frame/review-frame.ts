import { findElement, pathOf, type Step } from './elements.ts';
import { add, type List, list, namesOf, natives } from './natives.ts';
import { isElement, nameOf, type PageText, readText } from './page-text.ts';
import { describeRange, findQuote, type Quote } from './passages.ts';

/**
 * Runs before a user's page in the frame beside comments (`features/pages/page-scripts.ts`). It finds
 * passages for the page around the frame, and reports the selection. It learns only passages, and
 * its reports aren't trusted (`features/discussion/client/frame-messages.ts`).
 */

/** The only origin that gets the port. The render host defines this constant before the script. */
declare const webOrigin: string;

/** A comment's place. Its path is split, because nothing here may split texts. */
interface Place extends Quote {
  steps: Step[];
  id: string;
  isElement: boolean;
}

/** A message from the page around the frame. Every message has all fields. */
interface Order {
  kind: 'places' | 'describe' | 'deselect' | 'reveal' | 'state';
  places: Place[];
  /** The number of the comment to emphasise; -1 for none. */
  active: number;
  /** Whether the reader is choosing an element. */
  isPicking: boolean;
}

/** The current position of a comment. Both fields are `undefined` if its passage isn't there. */
interface Spot {
  range: Range | undefined;
  element: Element | undefined;
}

const FIND_AGAIN_MS = 500;
/** The longest start of an element's text to report, in UTF-16 code units. */
const MOST_WORDS = 200;
/** Keys to pass on to the page around the frame. None of them changes any data. */
const KEYS = namesOf('m n p');
/** Elements that accept typing. */
const FIELDS = namesOf('input textarea select');

let places: Place[] = [];
let active = -1;
let isPicking = false;
let spots = list<Spot>();
let hovered: Element | undefined;
let isDrawing = false;
let isFinding = false;
let said = '';

const channel = new MessageChannel();
const port = channel.port1;
const sheet = new CSSStyleSheet();
sheet.replaceSync(
  '::highlight(comment){background-color:rgb(255 196 0/.28);text-decoration:underline 2px rgb(190 125 0)}' +
    '::highlight(comment-active){background-color:rgb(255 196 0/.6);text-decoration:underline 2px rgb(150 80 0)}',
);

const say = (message: object) => natives.post(port, message);

/** Finds the places of all comments again. */
function find(): void {
  const text = readText(document);
  spots = list();
  for (let index = 0; index < places.length; index++) {
    add(spots, spotOf(text, places[index] as Place));
  }
  mark();
  draw();
}

function spotOf(text: PageText, place: Place): Spot {
  const element = findElement(place.steps, place.steps.length, place.id);
  const isWhole = place.isElement || place.quote === '';
  return {
    range: isWhole ? undefined : findQuote(text, place, element),
    element: isWhole ? element : undefined,
  };
}

/** Marks passages in the text. The page around the frame outlines elements. */
function mark(): void {
  const { registry, Highlight, addRange, setHighlight } = natives;
  if (!registry || !Highlight || !addRange || !setHighlight) return;
  const all = new Highlight();
  const one = new Highlight();
  for (let index = 0; index < spots.length; index++) {
    const { range } = spots[index] as Spot;
    if (range) addRange(all, range);
    if (range && index === active) addRange(one, range);
  }
  setHighlight(registry, 'comment', all);
  setHighlight(registry, 'comment-active', one);
  adoptSheet();
}

/** Adds the style sheet of the marks again if the page has replaced the list of sheets. */
function adoptSheet(): void {
  const sheets = natives.sheetsOf(document);
  for (let index = 0; index < sheets.length; index++) if (sheets[index] === sheet) return;
  sheets[sheets.length] = sheet;
}

/** Reports all positions, at most once per animation frame. */
function draw(): void {
  if (isDrawing) return;
  isDrawing = true;
  natives.nextFrame(window, () => {
    isDrawing = false;
    attempt(sayBoxes);
  });
}

function sayBoxes(): void {
  const boxes = list<number>();
  for (let index = 0; index < spots.length; index++) {
    const { range, element } = spots[index] as Spot;
    if (range) addBox(boxes, index, natives.rangeBox(range));
    if (element) addBox(boxes, index, natives.boxOf(element));
  }
  const selection = list<number>();
  const range = selectedRange();
  if (range) addBox(selection, 0, natives.rangeBox(range));
  const hover = list<number>();
  if (hovered) addBox(hover, 0, natives.boxOf(hovered));
  const all = `${keyOf(boxes)};${keyOf(selection)};${keyOf(hover)}`;
  if (all === said) return;
  said = all;
  say({ kind: 'boxes', boxes, selection, hover });
}

function addBox(to: List<number>, index: number, box: DOMRect): void {
  add(to, index);
  add(to, natives.x(box));
  add(to, natives.y(box));
  add(to, natives.width(box));
  add(to, natives.height(box));
}

function keyOf(numbers: List<number>): string {
  let key = '';
  for (let index = 0; index < numbers.length; index++) key += `${numbers[index]},`;
  return key;
}

function selectedRange(): Range | undefined {
  const selection = natives.getSelection(window);
  if (!selection || natives.rangeCount(selection) === 0) return undefined;
  return natives.isCollapsed(selection) ? undefined : natives.getRangeAt(selection, 0);
}

/** Reports the selection when asked. */
function describe(): void {
  const range = selectedRange();
  const found = range && describeRange(readText(document), range);
  if (!found) {
    say({ kind: 'nothing' });
    return;
  }
  const { quote, prefix, suffix, element } = found;
  say({ kind: 'passage', quote, prefix, suffix, element: element ? pathOf(element) : '' });
}

/** Reports the chosen element, and the start of its text. */
function pick(element: Element): void {
  const range = new natives.Range();
  natives.selectContents(range, element);
  const quote = describeRange(readText(document), range)?.quote ?? '';
  const words = natives.slice(quote, 0, MOST_WORDS);
  say({ kind: 'picked', element: pathOf(element), words });
}

/** Returns the element under the pointer, unless it is the whole page. */
function elementAt(event: Event): Element | undefined {
  const found = natives.elementAt(document, natives.clientX(event), natives.clientY(event));
  if (!found) return undefined;
  const name = nameOf(found);
  return name === 'html' || name === 'body' ? undefined : found;
}

/** Returns the number of the comment whose passage is under the pointer; -1 if there is none. */
function commentAt(event: Event): number {
  const x = natives.clientX(event);
  const y = natives.clientY(event);
  for (let index = spots.length - 1; index >= 0; index--) {
    const { range, element } = spots[index] as Spot;
    if (element && isIn(natives.boxOf(element), x, y)) return index;
    if (!range) continue;
    const boxes = natives.rangeBoxes(range);
    for (let line = 0; line < natives.boxCount(boxes); line++) {
      if (isIn(natives.boxItem(boxes, line) as DOMRect, x, y)) return index;
    }
  }
  return -1;
}

function isIn(box: DOMRect, x: number, y: number): boolean {
  const left = x - natives.x(box);
  const top = y - natives.y(box);
  return left >= 0 && left <= natives.width(box) && top >= 0 && top <= natives.height(box);
}

/** Runs a function and hides its errors, because an error would show our code to the page. */
function attempt(run: () => void): void {
  try {
    run();
  } catch {
    // Retried at the next message or change of the page.
  }
}

function obey(order: Order): void {
  active = order.active;
  if (isPicking !== order.isPicking) {
    isPicking = order.isPicking;
    hovered = undefined;
    draw();
  }
  if (order.kind === 'places') {
    places = order.places;
    find();
  } else if (order.kind === 'describe') describe();
  else if (order.kind === 'deselect') deselect();
  else mark();
  if (order.kind === 'reveal') reveal();
}

function deselect(): void {
  const selection = natives.getSelection(window);
  if (selection) natives.clearSelection(selection);
}

function reveal(): void {
  if (active < 0 || active >= spots.length) return;
  const { range, element } = spots[active] as Spot;
  const node = range ? natives.parentNode(natives.startContainer(range)) : element;
  if (!node || !isElement(node)) return;
  natives.scrollTo(node, { __proto__: null, block: 'center' } as ScrollIntoViewOptions);
}

/** Finds everything again, a moment after the page has changed. */
function findSoon(): void {
  if (isFinding || places.length === 0) return;
  isFinding = true;
  natives.later(
    window,
    () => {
      isFinding = false;
      attempt(find);
    },
    FIND_AGAIN_MS,
  );
}

/**
 * Listens on the window. By default in the capture phase, so that this runs before the page's
 * listeners.
 */
function listen(type: string, hear: (event: Event) => void, isBefore = true): void {
  natives.listen(window, type, (event) => attempt(() => hear(event)), {
    capture: isBefore,
    passive: false,
  });
}

for (const type of ['scroll', 'resize', 'selectionchange', 'load']) listen(type, draw);
listen('load', findSoon);
listen('pointermove', (event) => {
  if (!isPicking || !event.isTrusted) return;
  hovered = elementAt(event);
  draw();
});
for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
  listen(type, (event) => {
    if (!isPicking || !event.isTrusted) return;
    natives.preventDefault(event);
    natives.stop(event);
    if (type !== 'click') return;
    const element = elementAt(event);
    if (element) pick(element);
  });
}
listen(
  'click',
  (event) => {
    if (!event.isTrusted || natives.isPrevented(event) || selectedRange()) return;
    const at = commentAt(event);
    if (at >= 0) say({ kind: 'hit', at });
  },
  false,
);
listen(
  'keydown',
  (event) => {
    if (!event.isTrusted || natives.isPrevented(event)) return;
    const key = natives.keyOf(event);
    if (isPicking && key === 'Escape') say({ kind: 'key', key });
    const isWith =
      natives.isWithCtrl(event) || natives.isWithMeta(event) || natives.isWithAlt(event);
    if (isWith || KEYS[key] !== true || isInField(natives.targetOf(event))) return;
    natives.preventDefault(event);
    say({ kind: 'key', key });
  },
  false,
);

function isInField(target: EventTarget | null): boolean {
  const node = target as Node | null;
  if (!node || !isElement(node)) return false;
  return FIELDS[nameOf(node)] === true || (natives.isHtml(node) && natives.isEditable(node));
}

natives.listen(port, 'message', (event) =>
  attempt(() => obey(natives.dataOf(event as MessageEvent) as Order)),
);
natives.start(port);
natives.observe(new natives.MutationObserver(findSoon), document, {
  childList: true,
  subtree: true,
  characterData: true,
});
// Hides the added script from the page.
document.currentScript?.remove();
if (parent !== window) parent.postMessage('review', webOrigin, [channel.port2]);
