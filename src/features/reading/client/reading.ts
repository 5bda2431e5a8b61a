import { offerToEnlarge } from './enlarge.ts';

/** In pixels, between a reference and its note. */
const GAP = 6;
/** In pixels, between a note and the edge of the window. */
const EDGE = 16;

/**
 * Shows a footnote beside its reference. Escape or a click elsewhere closes it.
 *
 * @returns whether there is a footnote to show
 */
function showFootnote(reference: HTMLAnchorElement): boolean {
  const id = decodeURIComponent(reference.hash.slice(1));
  const note = document.getElementById(id)?.closest('.footnotes li');
  if (!note || !HTMLElement.prototype.showPopover) return false;
  const popover = document.createElement('div');
  popover.className = 'prose footnote';
  popover.popover = 'auto';
  popover.tabIndex = -1;
  popover.setAttribute('role', 'note');
  popover.setAttribute('aria-label', reference.getAttribute('aria-label') ?? 'Footnote');
  popover.append(...(note.cloneNode(true) as Element).childNodes);
  for (const back of popover.querySelectorAll('.footnote-backref')) back.remove();
  for (const named of popover.querySelectorAll('[id]')) named.removeAttribute('id');
  popover.addEventListener('toggle', ({ newState }) => {
    if (newState === 'closed') popover.remove();
  });
  document.body.append(popover);
  popover.showPopover();
  place(popover, reference);
  popover.focus({ preventScroll: true });
  return true;
}

/** Places the note below its reference, or above if there is no space below. */
function place(popover: HTMLElement, reference: HTMLElement): void {
  const { left, top, bottom } = reference.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = popover;
  const right = document.documentElement.clientWidth - EDGE - offsetWidth;
  const isBelow = bottom + GAP + offsetHeight <= innerHeight;
  const y = isBelow ? bottom + GAP : Math.max(EDGE, top - GAP - offsetHeight);
  popover.style.left = `${scrollX + Math.max(EDGE, Math.min(left - EDGE, right))}px`;
  popover.style.top = `${scrollY + y}px`;
}

// Without this module, references lead to the notes at the end.
document.addEventListener('click', (event) => {
  const { target } = event;
  const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!isPlain || !(target instanceof Element)) return;
  const reference = target.closest<HTMLAnchorElement>('.reading .prose .footnote-ref a');
  if (reference && showFootnote(reference)) event.preventDefault();
});

offerToEnlarge();
addEventListener('resize', () => offerToEnlarge(), { passive: true });
void document.fonts.ready.then(() => offerToEnlarge());
document.addEventListener('contentadded', () => offerToEnlarge());

if (document.querySelector('[data-tasks] .task-list-item')) {
  void import('./tasks.ts').then(({ offerTasks }) => offerTasks());
}
