import type { Passage, Reading } from './reading.ts';
import { startFromPassage } from './suggestion.ts';

/** The form that opens a thread, shown over the page beside the selection. */
export interface Composer {
  /** Opens it for a passage. Default: the selection, or else the whole document. */
  open(passage?: Passage): Promise<void>;
  close(): void;
  element: HTMLDialogElement;
}

export function createComposer(reading: Reading): Composer {
  const element = document.createElement('dialog');
  element.className = 'composer';
  element.setAttribute('aria-label', 'New comment');
  document.body.append(element);
  /** The form's original parent. */
  let home: Element | undefined;
  let cameFrom: Element | null = null;

  async function open(chosen?: Passage): Promise<void> {
    if (element.open) return;
    const passage = chosen ?? (await reading.selected());
    const form = document.querySelector<HTMLFormElement>('#comments .new-thread > form');
    if (!form || element.open) return;
    const { quote = '', prefix = '', suffix = '', line = '', element: place = '' } = passage ?? {};
    for (const [name, value] of Object.entries({ quote, prefix, suffix, line, element: place })) {
      (form.elements.namedItem(name) as HTMLInputElement).value = String(value);
    }
    const label = form.querySelector<HTMLElement>('.element-field');
    if (label) {
      label.hidden = chosen === undefined;
      label.textContent = 'On the chosen element';
    }
    const field = form.querySelector<HTMLElement>('.quote-field');
    const suggest = form.querySelector<HTMLDetailsElement>('.suggest');
    const cancel = form.querySelector<HTMLElement>('.composer-cancel');
    if (field) field.hidden = quote === '';
    if (suggest) suggest.hidden = quote === '';
    // The suggestion may have been opened for another passage before.
    if (suggest?.open) startFromPassage(form);
    if (cancel) cancel.hidden = false;
    (form.elements.namedItem('quote') as HTMLTextAreaElement).readOnly = true;
    // The drawer would cover the form.
    document.querySelector<HTMLElement>('#comments:popover-open')?.hidePopover();
    home = form.parentElement ?? undefined;
    cameFrom = document.activeElement;
    element.replaceChildren(form);
    element.show();
    if (passage) reading.emphasiseSelection();
    (form.elements.namedItem('body') as HTMLTextAreaElement).focus();
  }

  function close(): void {
    const form = element.querySelector('form');
    if (form) {
      // Restore the form for users who open it below the text.
      (form.elements.namedItem('element') as HTMLInputElement).value = '';
      for (const part of form.querySelectorAll<HTMLElement>('.quote-field, .suggest')) {
        part.hidden = false;
      }
      for (const part of form.querySelectorAll<HTMLElement>('.composer-cancel')) part.hidden = true;
      (form.elements.namedItem('quote') as HTMLTextAreaElement).readOnly = false;
      home?.append(form);
    }
    element.close();
    reading.emphasise(undefined);
    if (cameFrom instanceof HTMLElement && cameFrom.isConnected) cameFrom.focus();
  }

  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  });
  element.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('.composer-cancel')) close();
  });
  return { element, open, close };
}

/** How long the selection must stay before the button shows, in ms. */
const PAUSE_MS = 150;

/** Shows a button beside the selection while the form isn't open. */
export function connectSelectionButton(reading: Reading, { element, open }: Composer): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'primary small comment-selection';
  button.textContent = 'Comment';
  button.title = 'Comment (m)';
  button.hidden = true;
  document.body.append(button);
  // Pressing it must not clear the selection.
  button.addEventListener('pointerdown', (event) => event.preventDefault());
  button.addEventListener('click', () => open());
  new MutationObserver(place).observe(element, { attributeFilter: ['open'] });
  let timer = 0;
  reading.onSelection(() => {
    clearTimeout(timer);
    timer = window.setTimeout(place, PAUSE_MS);
  });

  function place(): void {
    const hasForm = document.querySelector('#comments .new-thread > form') !== null;
    const rect = hasForm && !element.open ? reading.selectionBox() : undefined;
    button.hidden = !rect;
    if (!rect) return;
    const left = Math.min(
      rect.right,
      document.documentElement.clientWidth - button.offsetWidth - 8,
    );
    button.style.left = `${Math.max(8, left)}px`;
    button.style.top = `${rect.bottom + scrollY + 8}px`;
  }
}
