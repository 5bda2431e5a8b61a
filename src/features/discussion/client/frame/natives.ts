/**
 * The browser's functions, saved before the page in the frame can replace them. Once the page runs,
 * the code of this folder uses nothing else: no method of a value, no iterator (so no `for … of`,
 * spread or destructuring of arrays), no regular expression, no property that may be missing. The
 * page could have replaced any of them.
 */

const { bind, call } = Function.prototype;

/** Returns a method as a function of its receiver. */
const method: <Self, Args extends unknown[], Result>(
  own: (this: Self, ...args: Args) => Result,
) => (self: Self, ...args: Args) => Result = (own) => bind.call(call, own) as never;

/** @param proto has the property or inherits it; browsers differ */
function getter<Result>(proto: object, name: string) {
  let owner = proto;
  while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
  const { get } = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
  return method(get as (this: object) => Result) as (self: object) => Result;
}

/** Firefox has it since version 140. */
const registry = 'highlights' in CSS ? CSS.highlights : undefined;

// The page could list what is marked. It gets something with the same methods that marks nothing, so
// that a page with marks of its own still runs.
if (registry) Object.defineProperty(CSS, 'highlights', { value: new Map() });

export const natives = {
  // Values
  charCodeAt: method(String.prototype.charCodeAt),
  slice: method(String.prototype.slice) as (text: string, from: number, to?: number) => string,
  indexOf: method(String.prototype.indexOf),
  toLowerCase: method(String.prototype.toLowerCase),
  min: Math.min,
  max: Math.max,

  // Messages and events
  listen: method(EventTarget.prototype.addEventListener),
  dataOf: getter<unknown>(MessageEvent.prototype, 'data'),
  post: method(MessagePort.prototype.postMessage) as (port: MessagePort, message: unknown) => void,
  start: method(MessagePort.prototype.start),
  preventDefault: method(Event.prototype.preventDefault),
  stop: method(Event.prototype.stopImmediatePropagation),
  isPrevented: getter<boolean>(Event.prototype, 'defaultPrevented'),
  targetOf: getter<EventTarget | null>(Event.prototype, 'target'),
  keyOf: getter<string>(KeyboardEvent.prototype, 'key'),
  isWithCtrl: getter<boolean>(KeyboardEvent.prototype, 'ctrlKey'),
  isWithMeta: getter<boolean>(KeyboardEvent.prototype, 'metaKey'),
  isWithAlt: getter<boolean>(KeyboardEvent.prototype, 'altKey'),
  clientX: getter<number>(MouseEvent.prototype, 'clientX'),
  clientY: getter<number>(MouseEvent.prototype, 'clientY'),
  nextFrame: method(requestAnimationFrame),
  later: method(setTimeout as unknown as (this: Window, run: () => void, ms: number) => number),

  // Nodes
  nodeType: getter<number>(Node.prototype, 'nodeType'),
  firstChild: getter<Node | null>(Node.prototype, 'firstChild'),
  nextSibling: getter<Node | null>(Node.prototype, 'nextSibling'),
  parentNode: getter<Node | null>(Node.prototype, 'parentNode'),
  contains: method(Node.prototype.contains),
  textOf: getter<string>(CharacterData.prototype, 'data'),
  localName: getter<string>(Element.prototype, 'localName'),
  idOf: getter<string>(Element.prototype, 'id'),
  isEditable: getter<boolean>(HTMLElement.prototype, 'isContentEditable'),
  isHtml: method(Object.prototype.isPrototypeOf).bind(undefined, HTMLElement.prototype) as (
    node: object,
  ) => boolean,
  byId: method(Document.prototype.getElementById),
  elementAt: method(Document.prototype.elementFromPoint),
  boxOf: method(Element.prototype.getBoundingClientRect),
  scrollTo: method(Element.prototype.scrollIntoView),

  // Ranges
  Range,
  setStart: method(Range.prototype.setStart),
  setEnd: method(Range.prototype.setEnd),
  selectContents: method(Range.prototype.selectNodeContents),
  comparePoint: method(Range.prototype.comparePoint),
  rangeBox: method(Range.prototype.getBoundingClientRect),
  rangeBoxes: method(Range.prototype.getClientRects),
  startContainer: getter<Node>(Range.prototype, 'startContainer'),
  startOffset: getter<number>(Range.prototype, 'startOffset'),
  endContainer: getter<Node>(Range.prototype, 'endContainer'),
  endOffset: getter<number>(Range.prototype, 'endOffset'),
  x: getter<number>(DOMRectReadOnly.prototype, 'x'),
  y: getter<number>(DOMRectReadOnly.prototype, 'y'),
  width: getter<number>(DOMRectReadOnly.prototype, 'width'),
  height: getter<number>(DOMRectReadOnly.prototype, 'height'),
  boxCount: getter<number>(DOMRectList.prototype, 'length'),
  boxItem: method(DOMRectList.prototype.item),

  // The selection
  getSelection: method(getSelection),
  rangeCount: getter<number>(Selection.prototype, 'rangeCount'),
  isCollapsed: getter<boolean>(Selection.prototype, 'isCollapsed'),
  getRangeAt: method(Selection.prototype.getRangeAt),
  clearSelection: method(Selection.prototype.removeAllRanges),

  // Changes of the page
  MutationObserver,
  observe: method(MutationObserver.prototype.observe),

  // Marks
  registry,
  Highlight: registry && Highlight,
  addRange: registry && method(Highlight.prototype.add),
  setHighlight: registry && method(HighlightRegistry.prototype.set),
  sheetsOf: getter<CSSStyleSheet[]>(Document.prototype, 'adoptedStyleSheets'),
} as const;

/** A list without a prototype, so that growing it calls none of the page's code. */
export interface List<Item> {
  [index: number]: Item;
  length: number;
}

export const list = <Item>(): List<Item> => ({ __proto__: null, length: 0 }) as List<Item>;

/** Returns an object with these names and nothing else. Call it before the page runs. */
export const namesOf = (names: string): Record<string, true> =>
  Object.setPrototypeOf(
    Object.fromEntries(names.split(' ').map((name) => [name, true as const])),
    null,
  );

export function add<Item>(to: List<Item>, item: Item): void {
  to[to.length] = item;
  to.length += 1;
}
