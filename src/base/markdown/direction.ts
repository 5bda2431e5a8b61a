import { directionOfText } from '../text/direction.ts';
import {
  attribute,
  type Element,
  type Fragment,
  hasClass,
  isElement,
  setAttribute,
} from './html-tree.ts';

type Direction = 'ltr' | 'rtl';

/** Blocks whose text decides how they are written. */
const BLOCKS = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol dl blockquote table th td caption summary figcaption details'.split(
    ' ',
  ),
);

/** Elements that are written from the left in every script. */
const LEFT_TO_RIGHT = new Set('pre code kbd samp var tt math'.split(' '));

/**
 * Lets blocks be written in the direction of their first letter, as `dir="auto"` does, and keeps
 * code and formulas from left to right. Only where it differs from the block around: a block that
 * has a direction of its own doesn't count for the direction of its list or quote. Modifies the
 * tree. An author's `dir` stays.
 */
export function setDirections(tree: Fragment): void {
  visit(tree, 'ltr');
}

function visit(parent: Fragment | Element, around: Direction): void {
  for (const child of parent.childNodes) {
    if (isElement(child)) visit(child, directionOf(child, around));
  }
}

/** Returns an element's direction, after setting it if it differs from the one around. */
function directionOf(element: Element, around: Direction): Direction {
  const given = attribute(element, 'dir')?.toLowerCase();
  if (given === 'ltr' || given === 'rtl') return given;
  if (LEFT_TO_RIGHT.has(element.tagName)) {
    if (around === 'rtl') setAttribute(element, 'dir', 'ltr');
    return 'ltr';
  }
  // A table and the box that scrolls it.
  const isTable = element.tagName === 'table' || hasClass(element, 'table-scroll');
  const isAlert = hasClass(element, 'markdown-alert');
  // Its word stands where the text begins, which is written by the author.
  const isTitle = hasClass(element, 'markdown-alert-title');
  const isBlock = isTable || isAlert || (BLOCKS.has(element.tagName) && !isTitle);
  if (given === undefined && !isBlock) return around;
  const first = firstDirection(element);
  const own = first ?? around;
  if (given !== undefined) return own;
  const isCell = element.tagName === 'td' || element.tagName === 'th';
  // The order of columns follows the table's direction, while each cell with letters has its own.
  if (isTable || isAlert) {
    if (own !== around) setAttribute(element, 'dir', own);
  } else if (own !== around || (isCell && first === 'rtl')) setAttribute(element, 'dir', 'auto');
  return own;
}

const isOutside = (element: Element) =>
  LEFT_TO_RIGHT.has(element.tagName) || hasClass(element, 'markdown-alert-title');

/** Returns the direction of the first letter outside of code, formulas and an alert's title. */
function firstDirection(element: Element): Direction | undefined {
  for (const child of element.childNodes) {
    if ('value' in child) {
      const own = directionOfText(child.value);
      if (own) return own;
    } else if (isElement(child) && !isOutside(child)) {
      const found = firstDirection(child);
      if (found) return found;
    }
  }
  return undefined;
}
