/** Removed with their content. */
const DROPPED =
  'script, style, iframe, object, embed, svg, canvas, video, audio, noscript, template, head, title, ' +
  'meta, link, button, select, textarea, option, [hidden], input:not([type="checkbox" i]), ' +
  '[data-style*="display:none" i], [data-style*="display: none" i], a.anchor, .katex-html, ' +
  '.Apple-interchange-newline';

const LINKS = ['http:', 'https:', 'mailto:'];
const IMAGES = ['http:', 'https:'];

const RENAMED: Record<string, string> = {
  b: 'strong',
  i: 'em',
  s: 'del',
  strike: 'del',
  tt: 'code',
};
const MARKS = 'strong, em, del, code';

/** Styles that word processors use for formatting, and the corresponding elements. */
const LOOKS: [style: RegExp, tag: string][] = [
  [/font-weight:\s*(?:bold|[6-9]00)/i, 'strong'],
  [/font-style:\s*italic/i, 'em'],
  [/text-decoration[^;]*:[^;]*line-through/i, 'del'],
  [/font-family:[^;]*(?:mono|courier|consolas|menlo)/i, 'code'],
];

/**
 * Reduces HTML to what Markdown can express, in standard elements. Works on a document that isn't
 * shown.
 */
export function cleanHtml(body: HTMLElement): void {
  for (const element of body.querySelectorAll(DROPPED)) element.remove();
  cleanText(body);
  for (const formula of body.querySelectorAll('math')) keepTex(formula);
  for (const pre of body.querySelectorAll('pre')) toCodeBlock(pre);
  for (const title of body.querySelectorAll('p.MsoTitle')) rename(title, 'h1');
  for (const [from, to] of Object.entries(RENAMED)) {
    for (const element of body.querySelectorAll(from)) {
      // Google Docs wraps everything in one of these.
      if (/font-weight:\s*(?:normal|400)/i.test(styleOf(element))) unwrap(element);
      else rename(element, to);
    }
  }
  for (const span of body.querySelectorAll('span[data-style], font[data-style]')) markByLook(span);
  for (const bold of body.querySelectorAll(':is(h1, h2, h3, h4, h5, h6) strong')) unwrap(bold);
  for (const mark of body.querySelectorAll(MARKS)) simplify(mark);
  for (const image of body.querySelectorAll('img')) if (!isShown(image)) image.remove();
  for (const link of body.querySelectorAll('a')) cleanLink(link);
  for (const item of body.querySelectorAll('li')) cleanItem(item);
  for (const list of body.querySelectorAll('ul > ul, ul > ol, ol > ul, ol > ol')) {
    list.previousElementSibling?.append(list);
  }
  for (const line of body.querySelectorAll('br')) cleanBreak(line);
  for (const box of body.querySelectorAll('input')) {
    if (box.closest('li')) tidyBox(box);
    else box.remove();
  }
}

function cleanText(body: HTMLElement): void {
  const walker = body.ownerDocument.createTreeWalker(
    body,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT,
  );
  const comments: Node[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.COMMENT_NODE) comments.push(node);
    else
      node.nodeValue = (node.nodeValue ?? '')
        .replace(/\u00a0/g, ' ')
        .replace(/[\u200b\ufeff]/g, '');
  }
  for (const comment of comments) (comment as Comment).remove();
}

const BLOCK = /^(?:P|DIV|UL|OL|TABLE|H[1-6]|BLOCKQUOTE|PRE|HR)$/;

/** Removes a break beside a block or at a block's end; two breaks are a new paragraph. */
function cleanBreak(line: Element): void {
  const [before, after] = [line.previousSibling, line.nextSibling].map((node) =>
    node?.nodeType === Node.TEXT_NODE && node.nodeValue?.trim() === '' ? undefined : node,
  );
  const isAtEnd =
    line.nextElementSibling === null && !after && line.nextSibling?.nextSibling == null;
  if (isAtEnd || [before, after].some((node) => node && BLOCK.test(node.nodeName))) line.remove();
  else if (line.nextElementSibling?.nodeName === 'BR' && (!after || after.nodeName === 'BR')) {
    line.nextElementSibling.remove();
    line.replaceWith(line.ownerDocument.createElement('div'));
  }
}

/** Replaces a formula by its TeX, or by its characters. */
function keepTex(formula: Element): void {
  const tex = formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent;
  if (tex) formula.textContent = tex;
  else formula.replaceWith(formula.textContent ?? '');
}

const LANGUAGE = /(?:^|\s)(?:language-|lang-|highlight-(?:source|text)-|brush:\s*)([\w+#-]+)/i;

function toCodeBlock(pre: Element): void {
  for (const line of pre.querySelectorAll('br')) line.replaceWith('\n');
  const places = [pre.querySelector('[class]'), pre, pre.parentElement];
  const language = places.map((place) => LANGUAGE.exec(place?.className ?? '')?.[1]).find(Boolean);
  const code = pre.ownerDocument.createElement('code');
  code.textContent = pre.textContent;
  if (language) code.className = `language-${language}`;
  pre.replaceChildren(code);
}

function markByLook(span: Element): void {
  if (span.closest('pre')) return;
  const style = styleOf(span);
  for (const [look, tag] of LOOKS) {
    if (!look.test(style) || span.closest(tag)) continue;
    const mark = span.ownerDocument.createElement(tag);
    mark.append(...span.childNodes);
    span.append(mark);
  }
}

/** Removes an empty mark or one inside the same mark; joins others with an equal mark before. */
function simplify(mark: Element): void {
  if (mark.closest('pre')) return;
  const isWithin = mark.parentElement?.closest(mark.localName);
  if (isWithin || mark.textContent?.trim() === '') {
    unwrap(mark);
    return;
  }
  const before = mark.previousSibling as Element | null;
  if (before?.localName !== mark.localName) return;
  before.append(...mark.childNodes);
  mark.remove();
}

/**
 * Tells whether readers can load an image: not if it is in a file or a mail, or is a tracking
 * pixel.
 */
function isShown(image: Element): boolean {
  const isTiny = ['width', 'height'].some((side) =>
    /^[01](?:px)?$/.test(image.getAttribute(side) ?? ''),
  );
  return !isTiny && IMAGES.includes(protocolOf(image.getAttribute('src')));
}

function cleanLink(link: Element): void {
  const href = link.getAttribute('href')?.trim() ?? '';
  const isEmpty = link.textContent?.trim() === '' && !link.querySelector('img');
  if (isEmpty || link.parentElement?.closest('a')) unwrap(link);
  else if (LINKS.includes(protocolOf(href))) link.setAttribute('href', href);
  else unwrap(link);
}

/**
 * Turns an ARIA checkbox into an input, and unwraps an item's only paragraph, which word processors
 * add.
 */
function cleanItem(item: Element): void {
  const box = item.getAttribute('role') === 'checkbox' && item.ownerDocument.createElement('input');
  if (box) {
    box.type = 'checkbox';
    box.toggleAttribute('checked', item.getAttribute('aria-checked') === 'true');
    item.prepend(box);
  }
  const paragraphs = item.querySelectorAll(':scope > p, :scope > div');
  if (paragraphs.length === 1) unwrap(paragraphs[0] as Element);
}

/** Puts a task's checkbox first in its item, without the space after it. */
function tidyBox(box: Element): void {
  const item = box.closest('li') as Element;
  const label = box.closest('label');
  if (label && item.contains(label)) unwrap(label);
  item.prepend(box);
  const next = box.nextSibling;
  if (next?.nodeType === Node.TEXT_NODE) next.nodeValue = next.nodeValue?.trimStart() ?? '';
}

function protocolOf(address: string | null): string {
  return address !== null && URL.canParse(address) ? new URL(address).protocol : '';
}

function styleOf(element: Element): string {
  return element.getAttribute('data-style') ?? '';
}

function rename(element: Element, tag: string): void {
  const renamed = element.ownerDocument.createElement(tag);
  renamed.append(...element.childNodes);
  const style = element.getAttribute('data-style');
  if (style) renamed.setAttribute('data-style', style);
  element.replaceWith(renamed);
}

function unwrap(element: Element): void {
  element.replaceWith(...element.childNodes);
}
