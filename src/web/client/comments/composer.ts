import { describeSelection } from './passages.ts';

/** The form that opens a thread, over the page beside what is selected. */
export interface Composer {
  /** Opens it for the selection, or for the whole brief. */
  open(): void;
  close(): void;
  element: HTMLDialogElement;
}

const articleOf = () => document.querySelector<HTMLElement>('.reading .prose');

/** Returns what is selected in the article. */
function selectedRange(): Range | undefined {
  const selection = getSelection();
  const article = articleOf();
  if (!article || !selection || selection.isCollapsed || selection.rangeCount === 0)
    return undefined;
  const range = selection.getRangeAt(0);
  return article.contains(range.commonAncestorContainer) ? range.cloneRange() : undefined;
}

/** @param emphasise marks the passage, or none, while the form is open */
export function createComposer(emphasise: (range: Range | undefined) => void): Composer {
  const element = document.createElement('dialog');
  element.className = 'composer';
  element.setAttribute('aria-label', 'New comment');
  document.body.append(element);
  /** Where the form belongs while it isn't here. */
  let home: Element | undefined;
  let cameFrom: Element | null = null;

  function open(): void {
    const range = selectedRange();
    const article = articleOf();
    const form = document.querySelector<HTMLFormElement>('#comments .new-thread > form');
    if (!form || element.open) return;
    const passage = range && article ? describeSelection(article, range) : undefined;
    const { quote = '', prefix = '', suffix = '', line } = passage ?? {};
    for (const [name, value] of Object.entries({ quote, prefix, suffix, line: line ?? '' })) {
      (form.elements.namedItem(name) as HTMLInputElement).value = String(value);
    }
    const field = form.querySelector<HTMLElement>('.quote-field');
    const suggest = form.querySelector<HTMLElement>('.suggest');
    const cancel = form.querySelector<HTMLElement>('.composer-cancel');
    if (field) field.hidden = !passage;
    if (suggest) suggest.hidden = !passage;
    if (cancel) cancel.hidden = false;
    (form.elements.namedItem('quote') as HTMLTextAreaElement).readOnly = true;
    // The drawer would cover the form.
    document.querySelector<HTMLElement>('#comments:popover-open')?.hidePopover();
    home = form.parentElement ?? undefined;
    cameFrom = document.activeElement;
    element.replaceChildren(form);
    element.show();
    emphasise(passage && range);
    (form.elements.namedItem('body') as HTMLTextAreaElement).focus();
  }

  function close(): void {
    const form = element.querySelector('form');
    if (form) {
      // As it was for those who open it below the text.
      for (const part of form.querySelectorAll<HTMLElement>('.quote-field, .suggest')) {
        part.hidden = false;
      }
      for (const part of form.querySelectorAll<HTMLElement>('.composer-cancel')) part.hidden = true;
      (form.elements.namedItem('quote') as HTMLTextAreaElement).readOnly = false;
      home?.append(form);
    }
    element.close();
    emphasise(undefined);
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
export function connectSelectionButton({ element, open }: Composer): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'primary small comment-selection';
  button.textContent = 'Comment';
  button.title = 'Comment (m)';
  button.hidden = true;
  document.body.append(button);
  // Pressing it must not clear the selection.
  button.addEventListener('pointerdown', (event) => event.preventDefault());
  button.addEventListener('click', open);
  new MutationObserver(place).observe(element, { attributeFilter: ['open'] });
  let timer = 0;
  document.addEventListener('selectionchange', () => {
    clearTimeout(timer);
    timer = window.setTimeout(place, PAUSE_MS);
  });

  function place(): void {
    const hasForm = document.querySelector('#comments .new-thread > form') !== null;
    const rect = hasForm ? selectedRange()?.getBoundingClientRect() : undefined;
    button.hidden = !rect || rect.height === 0;
    if (!rect) return;
    const left = Math.min(
      rect.right,
      document.documentElement.clientWidth - button.offsetWidth - 8,
    );
    button.style.left = `${Math.max(8, left)}px`;
    button.style.top = `${rect.bottom + scrollY + 8}px`;
  }
}
