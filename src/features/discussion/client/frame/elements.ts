import { namesOf, natives } from './natives.ts';
import { isElement, nameOf } from './page-text.ts';

/** A step of an `ElementPath` (`base/text/page-quotes.ts`): an element's name, and its number from 1. */
export interface Step {
  name: string;
  number: number;
}

/** Elements that browsers add. They don't count as steps. */
const NO_STEPS = namesOf('html head body tbody');

/** The most elements to visit in a search. */
const MOST = 200_000;

const isStep = (node: Node): node is Element => isElement(node) && NO_STEPS[nameOf(node)] !== true;

/**
 * Returns the next node at this level: not inside a step, but inside elements that aren't steps.
 */
function nextOnLevel(node: Node, scope: Node): Node | null {
  const child = isStep(node) ? null : natives.firstChild(node);
  if (child) return child;
  for (let at: Node | null = node; at && at !== scope; at = natives.parentNode(at)) {
    const sibling = natives.nextSibling(at);
    if (sibling) return sibling;
  }
  return null;
}

/** Returns the element at the end of a path, or the one with the `id`. */
export function findElement(
  steps: readonly Step[],
  count: number,
  id: string,
): Element | undefined {
  const at = count > 0 ? follow(steps, count) : undefined;
  if (at && (id === '' || natives.idOf(at) === id)) return at;
  return (id !== '' && natives.byId(document, id)) || undefined;
}

function follow(steps: readonly Step[], count: number): Element | undefined {
  let scope: Node = document;
  let looked = 0;
  for (let step = 0; step < count; step++) {
    const { name, number } = steps[step] as Step;
    let seen = 0;
    let node = natives.firstChild(scope);
    while (node && looked < MOST) {
      looked += 1;
      if (isStep(node) && nameOf(node) === name) seen += 1;
      if (seen === number) break;
      node = nextOnLevel(node, scope);
    }
    if (!node || seen !== number) return undefined;
    scope = node;
  }
  return scope as Element;
}

/** Returns an element's path with its `id`; '' for text outside all elements. */
export function pathOf(element: Element): string {
  const id = isStep(element) ? natives.idOf(element) : '';
  let path = '';
  for (let at: Node | null = element; at; at = scopeOf(at)) {
    if (isStep(at)) path = stepOf(at) + (path === '' ? '' : '/') + path;
  }
  return id === '' ? path : `${path}#${id}`;
}

function stepOf(element: Element): string {
  const name = nameOf(element);
  const scope = scopeOf(element) ?? document;
  let number = 0;
  let node = natives.firstChild(scope);
  for (let looked = 0; node && looked < MOST; looked++) {
    if (isStep(node) && nameOf(node) === name) number += 1;
    if (node === element) break;
    node = nextOnLevel(node, scope);
  }
  return `${name}:${number}`;
}

/** Returns the closest ancestor that is a step. */
function scopeOf(node: Node): Node | null {
  let at = natives.parentNode(node);
  while (at && isElement(at) && !isStep(at)) at = natives.parentNode(at);
  return at;
}
