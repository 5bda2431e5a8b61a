const SHOWN_FOR_MS = 7000;

/** Says something in passing, for eyes and for screen readers. */
export function showToast(message: string, { isFault = false } = {}): void {
  const toast = document.createElement('div');
  toast.className = isFault ? 'toast toast-fault' : 'toast';
  const text = document.createElement('p');
  text.textContent = message;
  toast.append(text);
  put(toast);
}

/** What a dialog still says when it closes, the page goes on saying. */
export function keepToasts(dialog: HTMLDialogElement): void {
  document.querySelector('#toasts')?.append(...dialog.querySelectorAll('.toast'));
}

const CARRIED = 'toasts';

/** Keeps the toasts of a page that was fetched for the page that this one now gives way to. */
export function carryToasts(from: Document): void {
  const toasts = from.querySelectorAll('#toasts > .toast');
  const html = Array.from(toasts, (toast) => toast.outerHTML).join('');
  if (html !== '') sessionStorage.setItem(CARRIED, html);
}

/** Puts those into the page that were kept for it. */
export function takeCarriedToasts(): void {
  const html = sessionStorage.getItem(CARRIED);
  if (html === null) return;
  sessionStorage.removeItem(CARRIED);
  const page = new DOMParser().parseFromString(`<div id="toasts">${html}</div>`, 'text/html');
  adoptToasts(page);
}

/** Shows the toasts that came with the page, or with one fetched since, in place of such before. */
export function adoptToasts(from: Document = document): void {
  const found = from.querySelectorAll<HTMLElement>('#toasts > .toast');
  const before = document.activeElement as HTMLElement | null;
  const toasts = Array.from(found, (toast) => document.adoptNode(toast));
  if (toasts.length === 0) return;
  afterNextFrame(() => {
    for (const earlier of document.querySelectorAll<HTMLElement>('.toast[data-result]')) {
      dismiss(earlier);
    }
    for (const toast of toasts) {
      toast.dataset.result = '';
      put(toast);
      // Somebody was there before the script was.
      if (toast.contains(before)) before?.focus();
    }
  });
}

/** Screen readers say what is added to a region that they know, not what it comes with. */
function afterNextFrame(run: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(run));
}

/** An open dialog makes everything else inert, so it has a region of its own. */
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

/** What failed, and what can be taken back, stays until it is dismissed; the rest goes in time. */
function put(toast: HTMLElement): void {
  const region = regionOf(document);
  const isSame = ({ firstElementChild: words }: Element) =>
    words?.textContent === toast.firstElementChild?.textContent;
  for (const before of region.querySelectorAll<HTMLElement>('.toast')) {
    if (isSame(before)) dismiss(before);
  }
  if (toast.matches('.toast-fault, :has(form)')) toast.append(closeButton(toast));
  else leaveInTime(toast);
  toast.addEventListener('focusin', ({ relatedTarget }) => {
    const isFromHere = relatedTarget instanceof Node && toast.contains(relatedTarget);
    if (!isFromHere) cameFrom.set(toast, relatedTarget);
  });
  toast.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    // The dialog around it stays open.
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

/** What had the focus before a toast. */
const cameFrom = new WeakMap<HTMLElement, EventTarget | null>();

/** Takes a toast away; the focus goes back to where it was, or to where its page or dialog begins. */
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

/** Not while somebody points at it or has the focus in it. */
function leaveInTime(toast: HTMLElement): void {
  const leave = () => {
    if (toast.matches(':hover, :focus-within')) window.setTimeout(leave, SHOWN_FOR_MS);
    else toast.remove();
  };
  window.setTimeout(leave, SHOWN_FOR_MS);
}
