import { showToast } from './toast.ts';

/** How long typing has to pause before the server is asked. */
const PAUSE_MS = 150;

/**
 * A form with `data-filters` filters a list, in the elements with `data-filtered`, while one types. The
 * server does it, because most of the list may not be here. Enter searches at the address in `data-filters`.
 */
export function connectRows(): void {
  let timer = 0;
  document.addEventListener('input', ({ target }) => {
    const form = (target as HTMLInputElement).form;
    if (!form?.matches('[data-filters]')) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => void filterList(form), PAUSE_MS);
  });
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    const { filters } = form.dataset;
    if (filters === undefined) return;
    event.preventDefault();
    const q = String(new FormData(form).get('q'));
    location.assign(`${filters}?${new URLSearchParams({ q })}`);
  });
}

let newest: AbortController | undefined;

/** Shows the list as the form would, without leaving the page. */
async function filterList(form: HTMLFormElement): Promise<void> {
  newest?.abort();
  newest = new AbortController();
  const query = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
  if (query.get('q') === '') query.delete('q');
  const address = query.size > 0 ? `${form.action}?${query}` : form.action;
  try {
    const headers = { accept: 'text/html' };
    const response = await fetch(address, { headers, signal: newest.signal });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const filtered = page.querySelectorAll('[data-filtered]');
    // Where the answer has no list, as after signing out, the whole page tells why.
    if (filtered.length === 0) return location.assign(address);
    for (const [index, part] of document.querySelectorAll('[data-filtered]').entries()) {
      part.replaceChildren(...(filtered[index]?.childNodes ?? []));
    }
    history.replaceState(null, '', address);
  } catch (error) {
    if (!(error instanceof DOMException))
      showToast('Not filtered: no connection.', { isFault: true });
  }
}

/** Moves the focus to the next row, or the one before. */
export function moveInRows(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row] .item-title')];
  if (links.length === 0) return;
  const current = links.indexOf(document.activeElement as HTMLElement);
  const next = current < 0 ? (step > 0 ? 0 : links.length - 1) : current + step;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}
