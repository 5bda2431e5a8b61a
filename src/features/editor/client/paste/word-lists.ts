import { styleOf } from './dom.ts';

const LEVEL = /mso-list:\s*l\d+\s+level(\d)/i;
const NUMBER = /^\(?(?:\d{1,4}|[a-z]{1,4})[.)]/i;
const MARKER = '[data-style*="mso-list:Ignore" i], [data-style*="mso-list: Ignore" i]';
/** The fonts of bullets. */
const BULLET = '[data-style*="Symbol" i], [data-style*="Wingdings" i]';

/** Turns the paragraphs that Word writes for list items into lists. */
export function listWordParagraphs(body: HTMLElement): void {
  for (const first of body.querySelectorAll('p, div')) {
    if (!first.isConnected || levelOf(first) === 0) continue;
    const lists: { level: number; list: Element }[] = [];
    let item: Element | null = first;
    const place = body.ownerDocument.createElement('div');
    first.before(place);
    while (item && levelOf(item) > 0) {
      const next: Element | null = item.nextElementSibling;
      add(item, levelOf(item), lists, place);
      item = next;
    }
  }
}

/** Returns the level of a list item, from 1; 0 for another element. */
function levelOf(element: Element): number {
  if (!/^(?:P|DIV)$/.test(element.nodeName)) return 0;
  const level = Number(LEVEL.exec(styleOf(element))?.[1] ?? 0);
  if (level > 0) return level;
  // As Word for the web and Outlook write it.
  const isBullet = element.matches('.MsoListParagraph, [class*="MsoListParagraphCxSp"]');
  return isBullet && markerOf(element) ? 1 : 0;
}

function markerOf(item: Element): Element | null {
  return item.querySelector(MARKER) ?? item.querySelector(BULLET);
}

function add(
  item: Element,
  level: number,
  lists: { level: number; list: Element }[],
  place: Element,
): void {
  const marker = markerOf(item);
  const sign = marker?.textContent?.trim() ?? '';
  const tag = NUMBER.test(sign) ? 'ol' : 'ul';
  marker?.remove();
  while ((lists.at(-1)?.level ?? 0) > level) lists.pop();
  let current = lists.at(-1);
  if (!current || current.level < level || current.list.localName !== tag) {
    const list = item.ownerDocument.createElement(tag);
    const start = Number.parseInt(sign.replace('(', ''), 10);
    if (start > 1) list.setAttribute('start', String(start));
    if (current?.level === level) lists.pop();
    (lists.at(-1)?.list.lastElementChild ?? place).append(list);
    current = { level, list };
    lists.push(current);
  }
  const entry = item.ownerDocument.createElement('li');
  entry.append(...item.childNodes);
  current.list.append(entry);
  item.remove();
}
