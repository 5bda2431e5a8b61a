const SHOWN_FOR_MS = 2000;

/** Makes the Copy button copy the document's Markdown. */
export function connectCopyDocument(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-action="copy-document"]');
  const address = button?.dataset.source;
  if (!button || !address) return;
  // Uses the same path on this origin, because the canonical host may be another name of it.
  const source = new URL(address, location.href).pathname;
  connect(button, async () => {
    const response = await fetch(source, { headers: { Accept: 'text/markdown' } });
    if (!response.ok) throw new Error(`${source} answered ${response.status}`);
    return response.text();
  });
}

/** Makes the Copy link button copy the page's address. */
export function connectCopyLink(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-action="copy-link"]');
  const { link } = button?.dataset ?? {};
  if (button && link) connect(button, async () => link);
}

/** Makes buttons with the action `copy-text` copy their `data-text`. */
export function connectCopyText(within: ParentNode = document): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>('[data-action="copy-text"]')) {
    connect(button, async () => button.dataset.text ?? '');
  }
}

/** Adds a copy button to every code block that has none. */
export function addCopyButtons(within: ParentNode = document): void {
  if (!navigator.clipboard) return;
  const selector = ':not(.code-block) > pre:not(.mermaid-source):not(.plain-source) > code';
  for (const code of within.querySelectorAll(selector)) {
    const block = code.parentElement as HTMLPreElement;
    const frame = document.createElement('div');
    frame.className = 'code-block';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy-code';
    button.append(label('Copy'));
    block.replaceWith(frame);
    frame.append(block, button);
    connect(button, async () => code.textContent ?? '');
  }
}

/** Makes the icon beside a heading also copy the heading's address. */
export function connectHeadingLinks(): void {
  for (const anchor of document.querySelectorAll<HTMLAnchorElement>('.reading a.anchor')) {
    connect(anchor, async () => anchor.href, { done: '✓', failed: '#' });
  }
}

function label(text: string): HTMLSpanElement {
  const span = document.createElement('span');
  span.className = 'label';
  span.textContent = text;
  return span;
}

/** Copies on click. Confirms it in the element's label and, for screen readers, in a status. */
function connect(
  element: HTMLElement,
  text: () => Promise<string>,
  signs = { done: 'Copied', failed: 'Copy failed' },
): void {
  const clipboard = navigator.clipboard;
  if (!clipboard) {
    if (element instanceof HTMLButtonElement) element.hidden = true;
    return;
  }
  const shown = element.querySelector('.label, span[aria-hidden]') ?? element;
  const name = shown.textContent ?? '';
  let timer = 0;
  const say = (outcome: string, state: keyof typeof signs) => {
    shown.textContent = signs[state];
    element.dataset.state = state;
    status().textContent = outcome;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      shown.textContent = name;
      delete element.dataset.state;
      status().textContent = '';
    }, SHOWN_FOR_MS);
  };
  element.addEventListener('click', async () => {
    try {
      // In Safari, a promise in the item keeps the click's permission while the text is fetched.
      const blob = text().then((copied) => new Blob([copied], { type: 'text/plain' }));
      await clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
      say('Copied', 'done');
    } catch {
      say('Copy failed', 'failed');
    }
  });
}

function status(): Element {
  let region = document.querySelector('#status');
  if (!region) {
    region = document.createElement('div');
    region.id = 'status';
    region.className = 'visually-hidden';
    region.setAttribute('role', 'status');
    document.body.append(region);
  }
  return region;
}
