/** How long formulas are collected before the service is asked, in ms. */
const WAIT_MS = 200;
/** Formulas that were rendered, at most. */
const MOST_KEPT = 500;
/** Longer texts, in UTF-16 code units, are asked for in several requests. */
const MOST_ASKED = 100_000;

type Show = (html: string) => void;

const known = new Map<string, string>();
const waiting = new Map<string, Show[]>();
let timer = 0;

/**
 * Shows a formula, as the service renders it, in an element that shows its source until then. Without a
 * connection it stays.
 *
 * @param onShown called when the element has changed later
 */
export function renderInto(element: HTMLElement, source: string, onShown: () => void): void {
  element.dataset.source = source;
  const html = known.get(source);
  if (html !== undefined) {
    fill(element, html);
    return;
  }
  const show = (fresh: string) => {
    // Another version may be wanted by now.
    if (element.dataset.source !== source) return;
    fill(element, fresh);
    onShown();
  };
  waiting.set(source, [...(waiting.get(source) ?? []), show]);
  clearTimeout(timer);
  timer = window.setTimeout(() => void ask(), WAIT_MS);
}

function fill(element: HTMLElement, html: string): void {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  const [first] = body.children;
  const isInline = first?.matches('p') && element.matches('span');
  element.replaceChildren(...(isInline ? first.childNodes : body.childNodes));
}

async function ask(): Promise<void> {
  const asked: [source: string, line: number, shows: Show[]][] = [];
  let text = '';
  for (const [source, shows] of waiting) {
    if (text.length + source.length > MOST_ASKED && text !== '') break;
    asked.push([source, text.split('\n').length, shows]);
    text += `${source}\n\n`;
    waiting.delete(source);
  }
  if (asked.length === 0) return;
  try {
    const body = new FormData();
    body.append('content', text);
    const headers = { accept: 'application/json' };
    const response = await fetch('/preview', { method: 'POST', body, headers });
    const { html } = (await response.json()) as { html: string | null };
    const page = new DOMParser().parseFromString(html ?? '', 'text/html');
    for (const [source, line, shows] of asked) {
      const block = page.querySelector(`body > [data-line="${line}"]`);
      if (!block) continue;
      block.removeAttribute('data-line');
      keep(source, block.outerHTML);
      for (const show of shows) show(block.outerHTML);
    }
  } catch {
    // The source stays.
  }
  if (waiting.size > 0) timer = window.setTimeout(() => void ask(), WAIT_MS);
}

function keep(source: string, html: string): void {
  known.set(source, html);
  const [oldest = ''] = known.keys();
  if (known.size > MOST_KEPT) known.delete(oldest);
}
