const SHOWN_FOR_MS = 7000;

/** What a toast offers besides its message. */
interface ToastOptions {
  isFault?: boolean;
  action?: { label: string; run: () => void };
}

/** Says something in passing, for eyes and for screen readers. */
export function showToast(message: string, { isFault = false, action }: ToastOptions = {}): void {
  const toast = document.createElement('div');
  toast.className = isFault ? 'toast toast-fault' : 'toast';
  const text = document.createElement('p');
  text.textContent = message;
  toast.append(text);
  if (action) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = action.label;
    button.addEventListener('click', () => {
      toast.remove();
      action.run();
    });
    toast.append(button);
  }
  regionOf(document).append(toast);
  leaveInTime(toast);
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

/** Lets the toasts that came with the page, or with one fetched since, go after a while. */
export function adoptToasts(from: Document = document): void {
  const region = regionOf(document);
  for (const toast of from.querySelectorAll<HTMLElement>('#toasts > .toast')) {
    if (from !== document) region.append(document.adoptNode(toast));
    leaveInTime(toast);
  }
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

/** Not while somebody points at it or has the focus in it. */
function leaveInTime(toast: HTMLElement): void {
  const leave = () => {
    if (toast.matches(':hover, :focus-within')) timer = window.setTimeout(leave, SHOWN_FOR_MS);
    else toast.remove();
  };
  let timer = window.setTimeout(leave, SHOWN_FOR_MS);
  toast.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    clearTimeout(timer);
    toast.remove();
  });
}
