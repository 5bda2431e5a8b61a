import {
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html,
  parseFragment,
  serialize,
} from 'parse5';

export type Fragment = DefaultTreeAdapterTypes.DocumentFragment;
export type Element = DefaultTreeAdapterTypes.Element;
export type ChildNode = DefaultTreeAdapterTypes.ChildNode;

/** Parses HTML the way a browser does inside a `<div>` (HTML standard, fragment parsing). */
export function parseHtml(source: string): Fragment {
  return parseFragment(createElement('div'), source, {});
}

export function serializeHtml(tree: Fragment): string {
  return serialize(tree);
}

export function createElement(name: string, attributes: Record<string, string> = {}): Element {
  const attrs = Object.entries(attributes).map(([name, value]) => ({ name, value }));
  return defaultTreeAdapter.createElement(name, html.NS.HTML, attrs);
}

export function isElement(node: ChildNode): node is Element {
  return 'tagName' in node;
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((entry) => entry.name === name)?.value;
}

export function setAttribute(element: Element, name: string, value: string): void {
  const entry = element.attrs.find((entry) => entry.name === name);
  if (entry) entry.value = value;
  else element.attrs.push({ name, value });
}

export function hasClass(element: Element, name: string): boolean {
  return attribute(element, 'class')?.split(' ').includes(name) ?? false;
}

export function appendText(parent: Element, text: string): void {
  defaultTreeAdapter.insertText(parent, text);
}

export function append(parent: Element, child: ChildNode): void {
  defaultTreeAdapter.appendChild(parent, child);
}

/**
 * Visits every element in document order and replaces it with the visitor's result: the same
 * element or one that contains it. Then visits the element's children.
 *
 * Builds new lists of children instead of editing them, because parse5 searches the list on every
 * edit.
 */
export function replaceElements(
  parent: Fragment | Element,
  visit: (element: Element) => Element,
): void {
  parent.childNodes = parent.childNodes.map((child) => {
    if (!isElement(child)) return child;
    const replacement = visit(child);
    replacement.parentNode = parent;
    replaceElements(child, visit);
    return replacement;
  });
}

/**
 * Returns the text that a person would read aloud: text, `alt` of images and the TeX of formulas,
 * with white space collapsed. Skips the numbers of footnotes in the text.
 */
export function plainText(node: Element | Fragment): string {
  const parts: string[] = [];
  collect(node, parts, (description) => parts.push(description));
  return parts.join('').replace(/\s+/g, ' ').trim();
}

/** Returns the same without descriptions of images, and with its white space; `undefined` without images. */
export function textBesideImages(node: Element): string | undefined {
  const parts: string[] = [];
  let images = 0;
  collect(node, parts, () => images++);
  return images > 0 ? parts.join('') : undefined;
}

function collect(
  node: Element | Fragment,
  parts: string[],
  onImage: (description: string) => void,
): void {
  for (const child of node.childNodes) {
    if ('value' in child) parts.push(child.value);
    if (!isElement(child)) continue;
    if (child.tagName === 'br') parts.push(' ');
    else if (child.tagName === 'img') onImage(attribute(child, 'alt') ?? '');
    else if (child.tagName === 'math') parts.push(attribute(child, 'alttext') ?? '');
    else if (!hasClass(child, 'footnote-ref')) collect(child, parts, onImage);
  }
}
