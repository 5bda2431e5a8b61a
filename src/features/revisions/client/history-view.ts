import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import { createChangeSteps } from './change-steps.ts';
import { markChanges } from './rendered-changes.ts';

/** What an address says to show: revision 8, with what has changed since revision 5. */
const IN_ADDRESS = /^#show=(\d+)-(\d+)$/;

/** From this width on, the text stands beside the list. `history.css` has the same. */
const BESIDE = matchMedia('(width >= 64rem)');

/** How wide the list is at most, in pixels. */
const LIST_WIDTH = 424;

interface Shown {
  from: number;
  to: number;
}

/**
 * Shows a revision beside the list when it is chosen, with its changes marked. What is shown is in
 * the address, so that going back leads to the list. Other links stay as they are.
 */
export function connectHistory(page: HTMLElement): void {
  const pane = page.querySelector('.history-text') as HTMLElement;
  const list = page.querySelector('.history-list') as HTMLElement;
  const path = page.dataset.history ?? '';
  let newest = 0;
  let at: string | undefined;

  list.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-changes-in]');
    const isForBrowser = event.ctrlKey || event.metaKey || event.altKey;
    if (!link || isForBrowser || event.button !== 0) return;
    event.preventDefault();
    if (event.shiftKey) pickBoth(link);
    else choose(link.dataset.changesIn ?? '');
  });
  page.querySelector('form.compare-picked')?.addEventListener('submit', (event) => {
    const picked = [...list.querySelectorAll<HTMLInputElement>('[name="pick"]:checked')];
    if (picked.length < 2) return;
    event.preventDefault();
    const numbers = picked.map(({ value }) => Number(value));
    choose(`${Math.min(...numbers)}-${Math.max(...numbers)}`);
  });
  addEventListener('hashchange', () => void follow());
  BESIDE.addEventListener('change', () => void follow());
  void follow();

  function choose(numbers: string): void {
    const hash = `#show=${numbers}`;
    if (location.hash === hash) void follow();
    else if (BESIDE.matches && location.hash !== '') location.replace(hash);
    else location.hash = hash;
  }

  /** Selects a revision together with the one that is shown, or that is selected. */
  function pickBoth(link: HTMLAnchorElement): void {
    const boxOf = (element: Element | null | undefined) =>
      element?.closest('.revision')?.querySelector<HTMLInputElement>('[name="pick"]');
    const isNone = !list.querySelector('[name="pick"]:checked');
    const boxes = [boxOf(link), isNone && boxOf(list.querySelector('[aria-current]'))];
    for (const box of boxes) if (box) box.checked = true;
    page.querySelector<HTMLFormElement>('form.compare-picked')?.requestSubmit();
  }

  /** Shows what the address names; on wide windows the newest, if it names nothing. */
  async function follow(): Promise<void> {
    const [, from, to] = IN_ADDRESS.exec(location.hash) ?? [];
    const isChosen = to !== undefined;
    page.classList.toggle('showing', isChosen);
    const first = list.querySelector<HTMLElement>('a[data-changes-in]')?.dataset.changesIn;
    const numbers = isChosen ? `${from}-${to}` : BESIDE.matches ? first : undefined;
    if (numbers === undefined || numbers === at) return;
    at = numbers;
    const [since, until] = numbers.split('-').map(Number);
    const shown = { from: since ?? 0, to: until ?? 0 };
    markCurrent(numbers);
    const turn = ++newest;
    if (pane.hidden) pane.textContent = 'Loading…';
    pane.hidden = false;
    try {
      const room =
        (pane.parentElement as HTMLElement).clientWidth - (BESIDE.matches ? LIST_WIDTH : 0);
      const fresh = await render(path, shown, room);
      if (turn !== newest) return;
      pane.replaceChildren(...fresh.parts, backToList());
      for (const part of fresh.parts) {
        part.dispatchEvent(new Event('contentadded', { bubbles: true }));
      }
      if (isChosen) {
        // Beside the list, its keys go on from where they are.
        if (!BESIDE.matches) pane.focus({ preventScroll: true });
        if (!fresh.start) scrollTo({ top: 0 });
      }
      fresh.start?.();
    } catch {
      at = undefined;
      if (turn === newest) showToast('The text can’t be loaded. Try again.', { isFault: true });
    }
  }

  function markCurrent(numbers: string): void {
    for (const link of list.querySelectorAll('a[data-changes-in]')) {
      const isShown = (link as HTMLElement).dataset.changesIn === numbers;
      if (isShown) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }

  /** Only narrow windows show it. */
  function backToList(): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'secondary small back-to-list';
    button.textContent = 'Back to the list';
    button.addEventListener('click', () => {
      history.replaceState(null, '', location.pathname + location.search);
      void follow();
      list.querySelector<HTMLElement>('[aria-current]')?.focus();
      at = undefined;
    });
    return button;
  }
}

interface Rendered {
  parts: Element[];
  /** Goes to the first change, if there is one. */
  start: (() => void) | undefined;
}

/** Renders a revision with what has changed since another; all of it is new since revision 0. */
async function render(path: string, { from, to }: Shown, room: number): Promise<Rendered> {
  const [now, before] = await Promise.all([
    load(`${path}@${to}?marked`),
    from > 0 ? load(`${path}@${from}?marked`) : undefined,
  ]);
  const [text, old] = [proseOf(now), before && proseOf(before)];
  const banner = now.querySelector('.revision-banner');
  const source = `${path.replace('/read/', '/history/')}?from=${from}&to=${to}`;
  const parts: Element[] = banner ? [document.adoptNode(banner)] : [];
  if (now.querySelector('iframe.page-frame')) {
    const { renderPages } = await import('./page-changes.ts');
    const pages = { before, after: now };
    const rendered = await renderPages(pages, { source, since: from, room });
    return { parts: [...parts, ...rendered.parts], start: rendered.start };
  }
  if (!text) throw new Error('There is no text.');
  const touched = old ? [...markChanges(old, text)] : [];
  for (const each of touched) each.classList.add('shown-change');
  const around = document.createElement('div');
  around.className = 'reading';
  const article = document.createElement('article');
  around.append(article);
  await adoptStyles(now);
  article.append(document.adoptNode(text));
  const steps =
    touched.length > 0 ? createChangeSteps(() => touched, { source, since: from }) : undefined;
  if (steps) parts.push(steps.bar);
  else if (from > 0) parts.push(unchanged(from));
  parts.push(around);
  return { parts, start: steps && (() => steps.go(0)) };
}

function unchanged(from: number): HTMLElement {
  const note = document.createElement('p');
  note.className = 'aside history-note';
  note.textContent = `Nothing that is shown has changed since revision ${from}.`;
  return note;
}

const proseOf = (page: Document) => page.querySelector('.reading .prose');

async function load(path: string): Promise<Document> {
  const response = await fetch(path, { headers: { accept: 'text/html' } });
  if (!response.ok) throw new Error(`${response.status}`);
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** Adds the style sheets that a loaded page has and this one lacks, such as that of formulas. */
async function adoptStyles(page: Document): Promise<void> {
  const links = [...page.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')];
  const paths = new Set(
    [...document.querySelectorAll('link[rel="stylesheet"]')].map((each) =>
      each.getAttribute('href'),
    ),
  );
  await Promise.all(
    links
      .filter((link) => !paths.has(link.getAttribute('href')))
      .map((link) => {
        const added = document.createElement('link');
        added.rel = 'stylesheet';
        added.href = link.getAttribute('href') ?? '';
        return new Promise<void>((resolve) => {
          added.onload = added.onerror = () => resolve();
          document.head.append(added);
        });
      }),
  );
}
