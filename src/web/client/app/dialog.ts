import { adoptToasts, carryToasts, keepToasts, showToast } from './toast.ts';

/**
 * Links with `data-dialog` lead to pages of their own; with script, the part of the page that has
 * `data-dialog-content` opens over this one instead, and its forms are sent from there. When it
 * closes after a change, or a form of it is answered after that, `dialogchanged` is dispatched on the
 * document, and unless somebody prevents that, this page is fetched anew.
 */
export function connectDialogs(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || isModified(event)) return;
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-dialog]');
    if (!link) return;
    event.preventDefault();
    void openPageDialog(link.href);
  });
}

const FIRST_FIELD = '[autofocus], input:not([type="hidden"], [type="radio"]), select, textarea';

/** Opens the part of a page that is meant for dialogs; goes to the page where it has none. */
async function openPageDialog(href: string): Promise<void> {
  const dialog = makeDialog();
  let hasChanged = false;
  let isSending = false;
  /** What was sent before is answered all the same. */
  let wasClosed = false;

  const show = async (response: Response): Promise<void> => {
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const content = page.querySelector<HTMLElement>('[data-dialog-content]');
    if (!content && !response.ok) {
      const fault = page.querySelector('main .lead, main p')?.textContent;
      showToast(fault ?? 'That did not work.', { isFault: true });
      return;
    }
    if (!content) {
      carryToasts(page);
      location.assign(response.url);
      return;
    }
    if (wasClosed) {
      const fault = content.querySelector('.fault, .form-fault')?.textContent;
      if (fault) showToast(fault, { isFault: true });
      adoptToasts(page);
      tellOfChange();
      return;
    }
    const title = content.dataset.dialogContent ?? '';
    const focused = focusPath(dialog.element);
    dialog.fill(title, document.adoptNode(content));
    if (!dialog.element.open) {
      dialog.element.showModal();
      // The browser takes the first button, which closes the dialog.
      content.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    }
    dialog.element.dispatchEvent(new Event('contentadded', { bubbles: true }));
    if (focused) restoreFocus(dialog.element, focused);
    if (!dialog.element.contains(document.activeElement)) dialog.focus();
    adoptToasts(page);
  };

  dialog.element.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    if (event.defaultPrevented || form.method !== 'post') return;
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    hasChanged = true;
    submitForm(form, event.submitter)
      .then(show)
      .catch(() => showToast('That was not sent: there is no connection.', { isFault: true }))
      .finally(() => {
        isSending = false;
      });
  });
  dialog.element.addEventListener('close', () => {
    wasClosed = true;
    keepToasts(dialog.element);
    dialog.element.remove();
    if (hasChanged) tellOfChange();
  });
  try {
    await show(await fetch(href, { headers: { accept: 'text/html' } }));
  } catch {
    location.assign(href);
  }
}

function tellOfChange(): void {
  const notice = new CustomEvent('dialogchanged', { cancelable: true });
  if (document.dispatchEvent(notice)) void refreshPage();
}

/** Sends a form as the browser would, and gives the page that it leads to. */
function submitForm(
  form: HTMLFormElement,
  submitter: HTMLElement | null = null,
): Promise<Response> {
  const data = new FormData(form, submitter);
  const isMultipart = form.enctype === 'multipart/form-data';
  const body = isMultipart ? data : new URLSearchParams(data as unknown as Record<string, string>);
  return fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } });
}

let refreshes = 0;

/** Puts this page's content in as it is now, without leaving it. */
async function refreshPage(): Promise<void> {
  const refresh = ++refreshes;
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  const html = await response.text();
  // One that was opened meanwhile gives the focus back to what had it, which must still be there.
  await noDialog();
  // What was changed in that one is in a later answer.
  if (refresh !== refreshes) return;
  if (!response.ok || response.redirected) {
    location.reload();
    return;
  }
  const page = new DOMParser().parseFromString(html, 'text/html');
  document.title = page.title;
  const toasts = [...document.querySelectorAll('#toasts > .toast')];
  const before = document.activeElement as HTMLElement | null;
  for (const selector of ['.trail', '.own-actions', '.rail', '#main']) {
    const here = document.querySelector(selector);
    const fresh = page.querySelector(selector);
    if (!here || !fresh) continue;
    const focused = focusPath(here);
    here.replaceWith(document.adoptNode(fresh));
    if (focused) restoreFocus(fresh, focused);
    fresh.dispatchEvent(new Event('contentadded', { bubbles: true }));
  }
  document.querySelector('#toasts')?.append(...toasts);
  if (toasts.some((toast) => toast.contains(before))) before?.focus();
}

/** Waits until no dialog is over the page. */
async function noDialog(): Promise<void> {
  const dialog = document.querySelector('dialog[open]');
  if (!dialog) return;
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  await noDialog();
}

interface Dialog {
  element: HTMLDialogElement;
  fill(title: string, content: Element): void;
  /** Keeps the focus within, where what had it is gone. */
  focus(): void;
}

let dialogs = 0;

/** A modal dialog with a title and a close button; Escape and a click beside it close it, too. */
export function makeDialog(): Dialog {
  const element = document.createElement('dialog');
  const id = `dialog-${++dialogs}`;
  element.setAttribute('aria-labelledby', id);
  element.innerHTML =
    `<div class="dialog-head"><h2 id="${id}"></h2>` +
    '<button type="button" class="action" data-closes aria-label="Close">✕</button></div>' +
    '<div class="dialog-body"></div><div class="toasts" role="status"></div>';
  let pressed: EventTarget | null = null;
  element.addEventListener('pointerdown', (event) => {
    pressed = event.target;
  });
  element.addEventListener('click', (event) => {
    const target = event.target as Element;
    const closer = target.closest('[data-closes]');
    // A selection that begins within and ends beside it is a click on the dialog, too.
    const isBeside = target === element && pressed === element;
    if (!isBeside && !closer) return;
    // One that is a link leads to where this page is already.
    event.preventDefault();
    element.close();
  });
  document.body.append(element);
  return {
    element,
    fill(title, content) {
      (element.querySelector('h2') as HTMLElement).textContent = title;
      element.querySelector('.dialog-body')?.replaceChildren(content);
    },
    focus() {
      const heading = element.querySelector('h2') as HTMLElement;
      heading.tabIndex = -1;
      heading.focus();
    },
  };
}

/** What has the focus within, in words that still hold when its content is made anew. */
function focusPath(within: Element): string | undefined {
  const { activeElement } = document;
  if (!activeElement || !within.contains(activeElement)) return undefined;
  const { id, title } = activeElement as HTMLElement;
  return activeElement.getAttribute('aria-label') || id || title || undefined;
}

function restoreFocus(within: Element, path: string): void {
  const name = CSS.escape(path);
  const selector = `[aria-label="${name}"], #${name}, [title="${name}"]`;
  within.querySelector<HTMLElement>(selector)?.focus();
}

function isModified(event: MouseEvent): boolean {
  return event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}
