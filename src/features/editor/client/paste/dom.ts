const BLOCK =
  /^(?:ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BODY|CENTER|DD|DETAILS|DIV|DL|DT|FIELDSET|FIGCAPTION|FIGURE|FOOTER|FORM|H[1-6]|HEADER|HR|LI|MAIN|NAV|OL|P|PRE|SECTION|SUMMARY|TABLE|TBODY|TD|TFOOT|TH|THEAD|TR|UL|CAPTION)$/;

/** Tells whether a node stands on lines of its own. */
export function isBlock(node: Node | null | undefined): boolean {
  return isElement(node) && BLOCK.test(node.nodeName);
}

export function isElement(node: Node | null | undefined): node is Element {
  return node?.nodeType === Node.ELEMENT_NODE;
}

/** Tells whether nothing can be seen of a node: white space, or an inline element without content. */
export function isBlank(node: Node): boolean {
  const isEmpty = (node.textContent ?? '').trim() === '';
  if (!isElement(node)) return isEmpty;
  return isEmpty && !isBlock(node) && !node.matches(VOID) && !node.querySelector(VOID);
}

const VOID = 'br, img, input';

export function hasBlock(element: Element): boolean {
  return [...element.querySelectorAll('*')].some(isBlock);
}

/** Returns an element's style, which {@link parse} keeps in another attribute. */
export function styleOf(element: Element): string {
  return element.getAttribute('data-style') ?? '';
}

export function create<Tag extends keyof HTMLElementTagNameMap>(
  near: Node,
  tag: Tag,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = (near.ownerDocument as Document).createElement(tag);
  element.append(...content);
  return element;
}

/** Replaces an element by one of another name, with the same content and style. */
export function rename(element: Element, tag: keyof HTMLElementTagNameMap): void {
  const renamed = create(element, tag, ...element.childNodes);
  const style = styleOf(element);
  if (style) renamed.setAttribute('data-style', style);
  element.replaceWith(renamed);
}

export function unwrap(element: Element): void {
  element.replaceWith(...element.childNodes);
}

/** Marks that Markdown has no signs for, which a brief shows as HTML. */
export const HTML_MARKS = 'kbd sub sup mark ins u small q var samp cite dfn'.split(' ');
