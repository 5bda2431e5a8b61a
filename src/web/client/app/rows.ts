/**
 * Lists of documents: what is typed in the field with `data-filters-rows` hides the rows that do not
 * have it, and j and k move from row to row.
 */
export function connectRows(): void {
  document.addEventListener('input', (event) => {
    const field = event.target as HTMLInputElement;
    if (field.matches('[data-filters-rows]')) filterRows(field.value);
  });
}

/** Moves the focus to the next row, or the one before. */
export function moveInRows(step: 1 | -1): void {
  const links = rowsShown().flatMap((row) => row.querySelector<HTMLElement>('.item-title') ?? []);
  if (links.length === 0) return;
  const current = links.indexOf(document.activeElement as HTMLElement);
  const next = current < 0 ? (step > 0 ? 0 : links.length - 1) : current + step;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}

function rowsShown(): HTMLElement[] {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  return rows.filter((row) => !row.hidden);
}

function filterRows(text: string): void {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of document.querySelectorAll<HTMLElement>('[data-row]')) {
    const title = row.querySelector('.item-title')?.textContent?.toLowerCase() ?? '';
    row.hidden = !words.every((word) => title.includes(word));
  }
  const notice = document.querySelector<HTMLElement>('[data-no-rows]');
  if (notice) notice.hidden = rowsShown().length > 0;
}
