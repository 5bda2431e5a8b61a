import { add, type List, list, namesOf, natives } from './natives.ts';

/**
 * The visible text of the page without white space, as the server reads it from the HTML
 * (`base/text/page-quotes.ts`), and where it comes from.
 */
export interface PageText {
  text: string;
  runs: List<Run>;
}

/** Consecutive characters of a text node, without white space. */
interface Run {
  /** Their position in the page's text. */
  at: number;
  node: Text;
  from: number;
  to: number;
  /** Whether white space, or an element on its own line, comes before. */
  isApart: boolean;
}

const HIDDEN = namesOf(
  'script style template noscript iframe noembed noframes title textarea select',
);

/** Elements that don't start a new line. */
const INLINE = namesOf(
  'a abbr b bdi bdo cite code del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u ' +
    'var wbr',
);

/** Where reading stops, in characters and nodes. No page that people comment on has so many. */
const MOST = 2_000_000;
const ELEMENT = 1;
const TEXT = 3;

export const isElement = (node: Node): node is Element => natives.nodeType(node) === ELEMENT;

/** The name of an element as in HTML. */
export const nameOf = (element: Element) => natives.toLowerCase(natives.localName(element));

/** Reads the text of the page as it is now. */
export function readText(root: Node): PageText {
  const runs = list<Run>();
  let text = '';
  let isApart = true;
  let node: Node | null = root;
  for (let visited = 0; node && visited < MOST && text.length < MOST; visited++) {
    let isHidden = false;
    if (isElement(node)) {
      const name = nameOf(node);
      isHidden = HIDDEN[name] === true;
      if (INLINE[name] !== true) isApart = true;
    } else if (natives.nodeType(node) === TEXT) readNode(node as Text);
    node = next(node, isHidden);
  }
  return { text, runs };

  /**
   * Returns the next node in document order, without the content of a hidden one. Sets `isApart`
   * at the end of elements that aren't inline.
   */
  function next(node: Node, isHidden: boolean): Node | null {
    const child = isHidden ? null : natives.firstChild(node);
    if (child) return child;
    for (let at: Node | null = node; at && at !== root; at = natives.parentNode(at)) {
      const sibling = natives.nextSibling(at);
      if (isElement(at) && INLINE[nameOf(at)] !== true) isApart = true;
      if (sibling) return sibling;
    }
    return null;
  }

  function readNode(node: Text): void {
    const data = natives.textOf(node);
    let from = -1;
    for (let index = 0; index <= data.length; index++) {
      const isGap = index === data.length || isSpace(natives.charCodeAt(data, index));
      if (!isGap && from < 0) from = index;
      if (isGap && from >= 0) {
        add(runs, { at: text.length, node, from, to: index, isApart });
        text += natives.slice(data, from, index);
        from = -1;
        isApart = false;
      }
      if (isGap && index < data.length) isApart = true;
    }
  }
}

/** Tells whether `\s` matches a character. */
function isSpace(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return (
    code === 160 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}
