/**
 * A checked message from the frame beside comments. The frame runs in the page's own process, so a
 * page could take it over. At worst, it reports wrong positions.
 */
export type FrameMessage =
  | { kind: 'boxes'; boxes: FrameBox[]; selection: FrameBox[]; hover: FrameBox[] }
  | { kind: 'passage'; quote: string; prefix: string; suffix: string; element: string }
  | { kind: 'nothing' }
  | { kind: 'picked'; element: string; words: string }
  | { kind: 'hit'; at: number }
  | { kind: 'key'; key: string };

/** A rectangle in the frame. */
export interface FrameBox {
  /** The number of the comment. */
  at: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The longest text, in UTF-16 code units, and the most rectangles. */
const MAX_TEXT = 100_000;
const MAX_BOXES = 1_000;
/** How many numbers describe a rectangle. */
const NUMBERS = 5;

/** Returns a message from the frame; `undefined` if the data isn't one. */
export function readFrameMessage(data: unknown): FrameMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const fields = new Map(Object.entries(data));
  const text = (name: string) => {
    const value = fields.get(name);
    return typeof value === 'string' && value.length <= MAX_TEXT ? value : undefined;
  };
  const kind = text('kind');
  const at = fields.get('at');
  if (kind === 'nothing') return { kind };
  if (kind === 'hit' && typeof at === 'number') return { kind, at };
  if (kind === 'key') return { kind, key: text('key') ?? '' };
  if (kind === 'picked') {
    const [element, words] = [text('element'), text('words')];
    return element && words !== undefined ? { kind, element, words } : undefined;
  }
  if (kind === 'passage') {
    const { quote, prefix, suffix, element } = {
      quote: text('quote'),
      prefix: text('prefix'),
      suffix: text('suffix'),
      element: text('element'),
    };
    if (!quote || prefix === undefined || suffix === undefined) return undefined;
    return { kind, quote, prefix, suffix, element: element ?? '' };
  }
  if (kind !== 'boxes') return undefined;
  const boxes = (name: string) => readBoxes(fields.get(name));
  return { kind, boxes: boxes('boxes'), selection: boxes('selection'), hover: boxes('hover') };
}

function readBoxes(data: unknown): FrameBox[] {
  if (typeof data !== 'object' || data === null) return [];
  const { length } = data as { length: unknown };
  if (typeof length !== 'number' || !(length <= MAX_BOXES * NUMBERS)) return [];
  const numbers = Array.from(data as ArrayLike<unknown>);
  if (!numbers.every((each) => typeof each === 'number' && Number.isFinite(each))) return [];
  const boxes: FrameBox[] = [];
  for (let index = 0; index + NUMBERS <= numbers.length; index += NUMBERS) {
    const [at, x, y, width, height] = numbers.slice(index) as [
      number,
      number,
      number,
      number,
      number,
    ];
    boxes.push({ at, x, y, width, height });
  }
  return boxes;
}
