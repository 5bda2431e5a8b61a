import { endPreview } from './comment-preview.ts';
import type { Box, Passage, Reading } from './reading.ts';
import { isWritten, startFromPassage } from './suggestion.ts';

/** The least space between the form and the edge of the window, in pixels. */
const GAP = 16;

/** The form that opens a thread, shown over the page beside the selection. */
export interface Composer {
  /** Opens it for a passage. Default: the selection, or else the whole document. */
  open(passage?: Passage): Promise<void>;
  close(): void;
  element: HTMLDialogElement;
}

/**
 * @param isBeside whether there is a margin for the form
 * @param place called after the form was opened or closed among the cards
 */
export function createComposer(
  reading: Reading,
  { isBeside, place }: { isBeside: () => boolean; place: () => void },
): Composer {
  const element = document.createElement('dialog');
  element.className = 'composer';
  element.setAttribute('aria-label', 'New comment');
  /** Its place among the cards. */
  const item = document.createElement('li');
  /** The form's original parent. */
  let home: Element | undefined;
  let cameFrom: Element | null = null;
  /** The revision on the screen, while the form is about words of an earlier one. */
  let shownRevision: string | undefined;

  async function open(chosen?: Passage): Promise<void> {
    if (element.open) return;
    const passage = chosen ?? (await reading.selected());
    const form = document.querySelector<HTMLFormElement>('#comments .new-thread > form');
    if (!form || element.open) return;
    const { quote = '', prefix = '', suffix = '', line = '', element: within = '' } = passage ?? {};
    for (const [name, value] of Object.entries({ quote, prefix, suffix, line, element: within })) {
      (form.elements.namedItem(name) as HTMLInputElement).value = String(value);
    }
    const revision = form.elements.namedItem('revision');
    const isGone = passage?.revision !== undefined;
    if (isGone && revision instanceof HTMLInputElement) {
      shownRevision = revision.value;
      revision.value = String(passage.revision);
    }
    const label = form.querySelector<HTMLElement>('.element-field');
    if (label) {
      label.hidden = chosen === undefined;
      label.textContent = 'On the chosen element';
    }
    for (const part of form.querySelectorAll<HTMLElement>('.quote-field, .thread-kind')) {
      part.hidden = quote === '' || (isGone && part.matches('.thread-kind'));
    }
    // There is nothing to replace.
    if (quote === '' || isGone) chooseComment(form);
    // A suggestion may have been begun for another passage.
    else startFromPassage(form);
    for (const part of form.querySelectorAll<HTMLElement>('.composer-cancel')) part.hidden = false;
    (form.elements.namedItem('quote') as HTMLTextAreaElement).readOnly = true;
    home = form.parentElement ?? undefined;
    cameFrom = document.activeElement;
    // Before anything else has the focus, which ends the selection.
    const box = reading.selectionBox();
    const { isPlaced, before } = reading.holdSelection();
    const list = isPlaced && isBeside() && document.querySelector('#comments > .threads');
    element.classList.toggle('placed', Boolean(list));
    if (list) {
      list.insertBefore(item, before?.closest('li') ?? null);
      item.append(element);
    } else {
      // The drawer would cover the form.
      document.querySelector<HTMLElement>('#comments:popover-open')?.hidePopover();
      document.body.append(element);
    }
    element.replaceChildren(form);
    element.show();
    place();
    if (!list) putBeside(isBeside() ? box : undefined);
    const isSuggestion = form.querySelector('.thread-kind [value="suggestion"]:checked') !== null;
    const field = form.elements.namedItem(isSuggestion ? 'replacement' : 'body');
    (field as HTMLTextAreaElement).focus({ preventScroll: true });
    if (list) element.scrollIntoView({ block: 'nearest' });
    else if (box && !isBeside()) {
      // The passage stays above the form.
      scrollBy(0, Math.max(0, box.bottom + 8 - element.getBoundingClientRect().top));
    }
  }

  /** Puts the form in the margin of a framed page, at the height of its passage; without one, below. */
  function putBeside(box: Box | undefined): void {
    element.classList.toggle('beside', box !== undefined);
    element.style.top = '';
    if (!box) return;
    const lowest = innerHeight - element.offsetHeight - GAP;
    element.style.top = `${Math.max(GAP, Math.min(box.top, lowest))}px`;
  }

  function chooseComment(form: HTMLFormElement): void {
    const comment = form.querySelector<HTMLInputElement>('.thread-kind [value="comment"]');
    if (comment) comment.checked = true;
  }

  function close(): void {
    const form = element.querySelector('form');
    if (form) {
      endPreview(form);
      // Restore the form for users who open it below the text.
      (form.elements.namedItem('element') as HTMLInputElement).value = '';
      if (shownRevision !== undefined) {
        (form.elements.namedItem('revision') as HTMLInputElement).value = shownRevision;
        shownRevision = undefined;
      }
      for (const part of form.querySelectorAll<HTMLElement>('.quote-field, .thread-kind')) {
        part.hidden = false;
      }
      for (const part of form.querySelectorAll<HTMLElement>('.composer-cancel')) part.hidden = true;
      (form.elements.namedItem('quote') as HTMLTextAreaElement).readOnly = false;
      home?.append(form);
    }
    element.close();
    item.remove();
    reading.emphasise(undefined);
    place();
    if (cameFrom instanceof HTMLElement && cameFrom.isConnected) {
      cameFrom.focus({ preventScroll: true });
    }
  }

  /** Closes the form, unless the reader wants to keep what they have written. */
  function cancel(): void {
    const form = element.querySelector('form');
    if (form && isWritten(form) && !confirm('Discard what you have written?')) return;
    form?.reset();
    close();
  }

  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
    event.preventDefault();
    cancel();
  });
  element.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('.composer-cancel')) cancel();
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
  // A closed dialog isn't part of the page.
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
