import { LINK_SCHEMES } from '../../../../base/markdown/link-schemes.ts';
import { keepCode } from './code-blocks.ts';
import { create, isBlank, isElement, rename, styleOf, unwrap } from './dom.ts';
import { keepFormulas } from './formulas.ts';
import { breakBetweenMarks, cleanBreak, simplifyMarks, wrapInsideBlocks } from './inline.ts';
import { keepPictures, type PastedPicture } from './pictures.ts';
import { prepareTables } from './tables.ts';

/** Removed with their content. */
const DROPPED =
  'script, style, iframe, object, embed, svg, canvas, video, audio, noscript, template, head, title, ' +
  'meta, link, button, select, textarea, option, [hidden], input:not([type="checkbox" i]), ' +
  '[data-style*="display:none" i], [data-style*="display: none" i], a.anchor, .katex-html, ' +
  '.mwe-math-fallback-image-inline, .mwe-math-fallback-image-display, ' +
  '.Apple-interchange-newline';

/** Inline elements that Markdown has nothing for, nor a brief's HTML without their attributes. */
const PLAIN = 'span, font, big, abbr, time, label, a u, u:has(a)';

const LINKS = LINK_SCHEMES.map((scheme) => `${scheme}:`);

const RENAMED: [from: string, to: keyof HTMLElementTagNameMap][] = [
  ['b', 'strong'],
  ['i', 'em'],
  ['s', 'del'],
  ['strike', 'del'],
  ['tt', 'code'],
];

/** Styles that word processors use for formatting, and the corresponding elements. */
const LOOKS: [style: RegExp, tag: string][] = [
  [/(?<![\w-])font-weight:\s*(?:bold|[6-9]00)/i, 'strong'],
  [/(?<![\w-])font-style:\s*italic/i, 'em'],
  [/(?<![\w-])text-decoration[^;]*:[^;]*line-through/i, 'del'],
  [/(?<![\w-])font-family:[^;]*(?:mono|courier|consolas|menlo)/i, 'code'],
];

/**
 * Reduces HTML to what Markdown can express, in standard elements. Works on a document that isn't
 * shown.
 */
export function cleanHtml(body: HTMLElement): { pictures: PastedPicture[]; lost: number } {
  keepOwn(body);
  keepFootnotes(body);
  keepFormulas(body);
  for (const element of body.querySelectorAll(DROPPED)) element.remove();
  cleanText(body);
  const found = keepPictures(body);
  keepCode(body);
  for (const title of body.querySelectorAll('p.MsoTitle')) rename(title, 'h1');
  for (const [from, to] of RENAMED) {
    for (const element of body.querySelectorAll(from)) {
      // Google Docs wraps everything in one of these.
      if (/(?<![\w-])font-weight:\s*(?:normal|400)/i.test(styleOf(element))) unwrap(element);
      else rename(element, to);
    }
  }
  for (const span of body.querySelectorAll('span[data-style], font[data-style]')) markByLook(span);
  for (const element of body.querySelectorAll(PLAIN)) unwrap(element);
  for (const bold of body.querySelectorAll(':is(h1, h2, h3, h4, h5, h6) strong')) unwrap(bold);
  for (const link of body.querySelectorAll('a')) cleanLink(link);
  wrapInsideBlocks(body);
  simplifyMarks(body);
  for (const item of body.querySelectorAll('li')) cleanItem(item);
  for (const list of body.querySelectorAll('ul > ul, ul > ol, ol > ul, ol > ol')) {
    list.previousElementSibling?.append(list);
  }
  breakBetweenMarks(body);
  simplifyMarks(body);
  for (const line of body.querySelectorAll('br')) if (line.isConnected) cleanBreak(line);
  for (const box of body.querySelectorAll('input')) {
    if (box.closest('li')) tidyBox(box);
    else box.remove();
  }
  for (const list of body.querySelectorAll('ul, ol')) {
    const before = listBefore(list);
    if (before?.nodeName === list.nodeName) {
      list.toggleAttribute('data-other', !before.hasAttribute('data-other'));
    }
  }
  prepareTables(body);
  return found;
}

/** Keeps what the reading page and GitHub make of Markdown: alerts, diagrams, refused links. */
function keepOwn(body: HTMLElement): void {
  for (const alert of body.querySelectorAll('.markdown-alert')) {
    const [, kind] =
      /markdown-alert-(note|tip|important|warning|caution)/.exec(alert.className) ?? [];
    if (!kind) continue;
    alert.querySelector('.markdown-alert-title')?.remove();
    const quote = create(alert, 'blockquote', ...alert.childNodes);
    quote.setAttribute('data-alert', kind.toUpperCase());
    alert.replaceWith(quote);
  }
  for (const figure of body.querySelectorAll('figure.diagram')) {
    // Browsers may copy what is folded without its text.
    const source = figure.querySelector('pre') ?? create(figure, 'pre');
    source.textContent = figure.getAttribute('data-source') ?? source.textContent;
    source.setAttribute('data-diagram', 'mermaid');
    figure.replaceWith(source);
  }
  for (const source of body.querySelectorAll('pre[data-diagram]')) {
    source.classList.add(`language-${source.getAttribute('data-diagram')}`);
  }
  for (const link of body.querySelectorAll('a[data-address]:not([href])')) {
    link.setAttribute('href', link.getAttribute('data-address') ?? '');
  }
}

/** Keeps footnotes that come with their references, as the reading page and GitHub show them. */
function keepFootnotes(body: HTMLElement): void {
  for (const link of body.querySelectorAll('sup > a[href*="#user-content-fn-"]')) {
    const [, id, label] =
      /#(user-content-fn-([\w-]+))$/.exec(link.getAttribute('href') ?? '') ?? [];
    const note = id && body.querySelector(`li[id="${id}"], [data-footnote="${id}"]`);
    if (!note || !label) continue;
    const reference = body.ownerDocument.createElement('noteref');
    reference.textContent = label;
    link.parentElement?.replaceWith(reference);
    if (note.nodeName !== 'LI') continue;
    for (const back of note.querySelectorAll('a[href*="#user-content-fnref-"]')) back.remove();
    const text = create(note, 'div', ...note.childNodes);
    text.setAttribute('data-footnote', id);
    note.closest('section')?.append(text);
    note.remove();
  }
  for (const rest of body.querySelectorAll('section:has(> [data-footnote]) > :is(h2, ol)')) {
    if (!rest.querySelector('li')) rest.remove();
  }
}

/** Returns the list that ends right before a list begins, also in another frame. */
function listBefore(list: Element): Element | undefined {
  const beside = (node: Node) => {
    let before = node.previousSibling;
    while (before && isBlank(before)) before = before.previousSibling;
    return before;
  };
  let node: Element = list;
  let before = beside(node);
  while (!before && /^(?:DIV|SECTION|ARTICLE)$/.test(node.parentElement?.nodeName ?? '')) {
    node = node.parentElement as Element;
    before = beside(node);
  }
  while (before && /^(?:DIV|SECTION|ARTICLE)$/.test(before.nodeName)) before = before.lastChild;
  return isElement(before) && /^[OU]L$/.test(before.nodeName) ? before : undefined;
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

function cleanLink(link: Element): void {
  const href = link.getAttribute('href')?.trim() ?? '';
  const isEmpty = link.textContent?.trim() === '' && !link.querySelector('img');
  if (isEmpty || link.parentElement?.closest('a')) unwrap(link);
  else if (LINKS.includes(protocolOf(href)) || link.hasAttribute('data-address')) {
    link.setAttribute('href', href);
  } else unwrap(link);
}

/**
 * Gives a task of an editor or a wiki its checkbox, and unwraps an item's only paragraph, which word
 * processors add.
 */
function cleanItem(item: Element): void {
  const isTask =
    item.getAttribute('role') === 'checkbox' || item.hasAttribute('data-inline-task-id');
  if (isTask) {
    const box = create(item, 'input');
    box.type = 'checkbox';
    const isDone =
      item.getAttribute('aria-checked') === 'true' || item.classList.contains('checked');
    box.toggleAttribute('checked', isDone);
    item.prepend(box);
  }
  const paragraphs = item.querySelectorAll(':scope > p, :scope > div');
  if (paragraphs.length === 1) unwrap(paragraphs[0] as Element);
}

/** Puts a task's checkbox first in its item, without the space after it. */
function tidyBox(box: Element): void {
  const item = box.closest('li') as Element;
  item.prepend(box);
  const next = box.nextSibling;
  if (next?.nodeType === Node.TEXT_NODE) next.nodeValue = next.nodeValue?.trimStart() ?? '';
}

function protocolOf(address: string | null): string {
  return address !== null && URL.canParse(address) ? new URL(address).protocol : '';
}
