const LEVEL = /mso-list:\s*l\d+\s+level(\d)/i;
const NUMBER = /^\(?(?:\d{1,4}|[a-z]{1,4})[.)]/i;

/** Turns the paragraphs that Word writes for list items into lists. */
export function listWordParagraphs(body: HTMLElement): void {
  const levelOf = (element: Element | null) =>
    element ? Number(LEVEL.exec(element.getAttribute('data-style') ?? '')?.[1] ?? 0) : 0;
  for (const first of [...body.querySelectorAll('[data-style*="mso-list" i]')]) {
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

function add(
  item: Element,
  level: number,
  lists: { level: number; list: Element }[],
  place: Element,
): void {
  const marker = item.querySelector(
    '[data-style*="mso-list:Ignore" i], [data-style*="mso-list: Ignore" i]',
  );
  const tag = NUMBER.test(marker?.textContent?.trim() ?? '') ? 'ol' : 'ul';
  marker?.remove();
  while ((lists.at(-1)?.level ?? 0) > level) lists.pop();
  let current = lists.at(-1);
  if (!current || current.level < level || current.list.localName !== tag) {
    const list = item.ownerDocument.createElement(tag);
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
