// Part of every page's script, because pages that show a document and the editor both say who is there.

/** Who else is at the document, as the service says: the event's `detail`. */
export interface ShownPeople {
  html: string;
  places: [number, string][];
}

/** Shows who else is at the document when a connection says so: the event `people`. */
export function connectPeople(): void {
  const place = document.querySelector<HTMLDetailsElement>('#people');
  if (!place) return;
  document.addEventListener('people', (event) => {
    const { html, places } = (event as CustomEvent<ShownPeople>).detail;
    if (place.dataset.shown !== html) {
      const hasFocus = place.contains(document.activeElement);
      place.innerHTML = html;
      place.hidden = html === '';
      place.dataset.shown = html;
      if (hasFocus) place.querySelector('summary')?.focus();
    }
    markPlaces(places);
  });
}

/** Marks the blocks where people edit. */
function markPlaces(places: ShownPeople['places']): void {
  const lined = [...document.querySelectorAll<HTMLElement>('.reading .prose [data-line]')];
  const names = new Map<Element, string[]>();
  for (const [line, name] of places) {
    const part = lined.findLast(({ dataset }) => Number(dataset.line) <= line);
    const block = part?.closest('.prose > *');
    if (block) names.set(block, [...(names.get(block) ?? []), name]);
  }
  for (const block of document.querySelectorAll<HTMLElement>('.reading .prose > *')) {
    const here = names.get(block)?.join(', ');
    if (here) block.dataset.editing = here;
    else delete block.dataset.editing;
  }
}
