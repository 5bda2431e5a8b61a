import { connectPreviews, endPreview } from './comment-preview.ts';

/** The `details` with a text to write, in a card or beside the cards. */
const SUMMARIES = '.reply > summary, .new-thread > summary';

/**
 * Focuses the text area of each `details` that a click or a key opens. With the focus on the
 * summary, the next keys would be shortcuts.
 */
export function connectWritingDetails(root: Document | HTMLElement): void {
  connectPreviews(root);
  root.addEventListener('click', ({ target }) => {
    const element = target as Element;
    const edits = element.closest<HTMLElement>('[data-edits]');
    if (edits) {
      const menu = edits.closest<HTMLDetailsElement>('[data-menu]');
      if (menu) menu.open = false;
      const form = document.getElementById(edits.dataset.edits ?? '');
      const details = form?.querySelector('details');
      if (details) openWriting(details);
    }
    const cancelled = element.closest('[data-cancels]')?.closest('details');
    if (cancelled) cancelWriting(cancelled);
  });
  root.addEventListener('keydown', (event) => {
    const { key, target } = event as KeyboardEvent;
    const details = (target as Element).closest<HTMLDetailsElement>('.reply[open]');
    if (key !== 'Escape' || !details || (event as KeyboardEvent).isComposing) return;
    // The panel or drawer around it stays open.
    event.preventDefault();
    event.stopPropagation();
    cancelWriting(details);
  });
  root.addEventListener('click', (event) => {
    const summary = (event.target as Element).closest(SUMMARIES);
    const details = summary?.parentElement as HTMLDetailsElement | undefined;
    if (!details || details.open) return;
    // The browser would open it only after the event.
    event.preventDefault();
    openWriting(details);
  });
}

/** Closes a `details`, unless the reader wants to keep what they have written there. */
function cancelWriting(details: HTMLDetailsElement): void {
  const fields = [...details.querySelectorAll('textarea')];
  const isWritten = fields.some(({ value, defaultValue }) => value !== defaultValue);
  if (isWritten && !confirm('Discard what you have written?')) return;
  for (const field of fields) field.value = field.defaultValue;
  endPreview(details);
  details.open = false;
  details.closest<HTMLElement>('.thread')?.focus({ preventScroll: true });
}

/** Opens a `details`, and places the caret at the end of its text. */
export function openWriting(details: HTMLDetailsElement): void {
  details.open = true;
  // A new comment has a field for its passage first.
  const field =
    details.querySelector<HTMLTextAreaElement>('textarea[name="body"]') ??
    details.querySelector('textarea');
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}
