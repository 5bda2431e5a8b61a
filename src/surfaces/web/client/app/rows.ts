import { showToast } from './toast.ts';

/** How long to wait after the last keystroke before asking the server. */
const PAUSE_MS = 150;

/** The parameters of lists that the search doesn't have. */
const UNSEARCHED = ['in', 'sort'];

/**
 * Makes a form with `data-filters` filter the elements with `data-filtered` while the user types.
 * The server filters, because the page may hold only a part of the list. Enter opens the search at
 * the address in `data-filters`.
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
    const search = new URL(filters, location.href);
    for (const [name, value] of new FormData(form)) {
      if (!UNSEARCHED.includes(name)) search.searchParams.set(name, String(value));
    }
    location.assign(search);
  });
}

let newest: AbortController | undefined;

/** Submits the form and shows the resulting list without a navigation. */
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
    // A response without the list, such as the sign-in screen, is shown completely.
    if (filtered.length === 0) return location.assign(address);
    for (const [index, part] of document.querySelectorAll('[data-filtered]').entries()) {
      part.replaceChildren(...(filtered[index]?.childNodes ?? []));
      part.dispatchEvent(new Event('contentadded', { bubbles: true }));
    }
    history.replaceState(null, '', address);
  } catch (error) {
    if (!(error instanceof DOMException))
      showToast('Can’t filter: no connection.', { isFault: true });
  }
}

/** Moves the focus to the next or the previous row. */
export function moveInRows(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row] .item-title')];
  if (links.length === 0) return;
  const current = links.indexOf(document.activeElement as HTMLElement);
  const next = current < 0 ? (step > 0 ? 0 : links.length - 1) : current + step;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}
