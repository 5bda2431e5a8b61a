import { startFromPassage } from './suggestion.ts';

/** The `details` with a text to write, in a card or beside the cards. */
const SUMMARIES = '.reply > summary, .new-thread > summary, .suggest > summary';

/**
 * Focuses the text area of each `details` that a click or a key opens. With the focus on the
 * summary, the next keys would be shortcuts.
 */
export function connectWritingDetails(root: Document | HTMLElement): void {
  root.addEventListener('click', (event) => {
    const summary = (event.target as Element).closest(SUMMARIES);
    const details = summary?.parentElement as HTMLDetailsElement | undefined;
    if (!details || details.open) return;
    // The browser would open it only after the event.
    event.preventDefault();
    openWriting(details);
  });
}

/** Opens a `details`, and places the caret at the end of its text. */
export function openWriting(details: HTMLDetailsElement): void {
  details.open = true;
  const form = details.matches('.suggest') && details.closest('form');
  if (form) startFromPassage(form);
  // A new comment has a field for its passage first.
  const field =
    details.querySelector<HTMLTextAreaElement>('textarea[name="body"]') ??
    details.querySelector('textarea');
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}
