const SHOWN_FOR_MS = 7000;

/** Long enough to reach Undo, also with the keyboard. */
const OFFERED_FOR_MS = 20_000;

/** Shows a short message and announces it to screen readers. */
export function showToast(message: string, { isFault = false } = {}): void {
  const toast = document.createElement('div');
  toast.className = isFault ? 'toast toast-fault' : 'toast';
  const text = document.createElement('p');
  text.textContent = message;
  toast.append(text);
  put(toast);
}

/** Moves a closing dialog's messages to the page and returns them. */
export function keepToasts(dialog: HTMLDialogElement): HTMLElement[] {
  const toasts = [...dialog.querySelectorAll<HTMLElement>('.toast')];
  document.querySelector('#toasts')?.append(...toasts);
  return toasts;
}

const CARRIED = 'toasts';

/** Saves the toasts of a fetched page for the page that is about to open. */
export function carryToasts(from: Document): void {
  const toasts = from.querySelectorAll('#toasts > .toast');
  const html = Array.from(toasts, (toast) => toast.outerHTML).join('');
  if (html !== '') sessionStorage.setItem(CARRIED, html);
}

/** Shows the toasts that were saved for this page. */
export function takeCarriedToasts(): void {
  const html = sessionStorage.getItem(CARRIED);
  if (html === null) return;
  sessionStorage.removeItem(CARRIED);
  const page = new DOMParser().parseFromString(`<div id="toasts">${html}</div>`, 'text/html');
  adoptToasts(page);
}

/** Shows the toasts of a response in place of those of earlier responses. */
export function adoptToasts(from: Document = document): void {
  const found = from.querySelectorAll<HTMLElement>('#toasts > .toast');
  const before = document.activeElement as HTMLElement | null;
  const toasts = Array.from(found, (toast) => document.adoptNode(toast));
  if (toasts.length === 0) return;
  afterNextFrame(() => {
    dismissResults();
    for (const toast of toasts) {
      toast.dataset.result = '';
      put(toast);
      // Moving the toast took the focus away from it.
      if (toast.contains(before)) before?.focus();
    }
  });
}

/** Removes the toasts of earlier responses: another change can make them untrue. */
export function dismissResults(): void {
  for (const earlier of document.querySelectorAll<HTMLElement>('.toast[data-result]')) {
    dismiss(earlier);
  }
}

/**
 * Runs a function after the next frame, so that a toast changes a region that is already on the
 * screen. Screen readers announce only changes.
 */
export function afterNextFrame(run: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(run));
}

/**
 * Returns the open dialog's own region, because the rest of the page is inert. Without a dialog,
 * returns the page's region, which it creates if necessary.
 */
function regionOf(page: Document): Element {
  const region = page.querySelector('dialog[open] .toasts') ?? page.querySelector('#toasts');
  if (region) return region;
  const made = page.createElement('div');
  made.className = 'toasts';
  made.id = 'toasts';
  made.setAttribute('role', 'status');
  page.body.append(made);
  return made;
}

/**
 * Adds a toast to its region. Errors stay until they are dismissed. Others disappear after 7 seconds,
 * and those with a form, such as Undo, after 20.
 */
function put(toast: HTMLElement): void {
  const region = regionOf(document);
  const isSame = ({ firstElementChild: words }: Element) =>
    words?.textContent === toast.firstElementChild?.textContent;
  for (const before of region.querySelectorAll<HTMLElement>('.toast')) {
    if (isSame(before)) dismiss(before);
  }
  const isOffer = toast.matches(':has(form)');
  const isFault = toast.matches('.toast-fault');
  if (isOffer || isFault) toast.append(closeButton(toast));
  if (!isFault) leaveInTime(toast, isOffer ? OFFERED_FOR_MS : SHOWN_FOR_MS);
  toast.addEventListener('focusin', ({ relatedTarget }) => {
    const isFromHere = relatedTarget instanceof Node && toast.contains(relatedTarget);
    if (!isFromHere) cameFrom.set(toast, relatedTarget);
  });
  toast.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    // Keeps the dialog around it open.
    event.preventDefault();
    dismiss(toast);
  });
  region.append(toast);
}

function closeButton(toast: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'action';
  button.textContent = '✕';
  button.setAttribute('aria-label', 'Dismiss');
  button.addEventListener('click', () => dismiss(toast));
  return button;
}

/** The element that had the focus before a toast. */
const cameFrom = new WeakMap<HTMLElement, EventTarget | null>();

/** Removes a toast and returns the focus to where it was, or to the start of the page or dialog. */
function dismiss(toast: HTMLElement): void {
  const hadFocus = toast.contains(document.activeElement);
  const start = toast.closest('dialog')?.querySelector('h2') ?? document.querySelector('main');
  toast.remove();
  if (!hadFocus) return;
  const before = cameFrom.get(toast);
  const next = before instanceof HTMLElement && before.isConnected ? before : start;
  if (next === start) start?.setAttribute('tabindex', '-1');
  next?.focus();
}

/** Removes a toast after a time, or later while the pointer or the focus is in it. */
function leaveInTime(toast: HTMLElement, afterMs: number): void {
  const leave = () => {
    if (toast.matches(':hover, :focus-within')) window.setTimeout(leave, SHOWN_FOR_MS);
    else toast.remove();
  };
  window.setTimeout(leave, afterMs);
}
