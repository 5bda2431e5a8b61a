import {
  adoptToasts,
  afterNextFrame,
  carryToasts,
  dismissResults,
  keepToasts,
  showToast,
} from './toast.ts';

/**
 * Opens links with `data-dialog` as dialogs: fetches their page and shows its `data-dialog-content`
 * over this one, with working forms. After a change, dispatches `dialogchanged` on the document
 * when the dialog closes, or later when a form's response arrives. Unless a listener prevents the
 * event, this page is refreshed.
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

const FIRST_FIELD =
  '[autofocus], input:not([type="hidden"], [type="radio"], [readonly]), select, textarea';

/** Opens the dialog content of a page, or navigates to the page if it has none. */
async function openPageDialog(href: string): Promise<void> {
  const dialog = makeDialog();
  let hasChanged = false;
  let isSending = false;
  /** Whether the dialog was closed. Requests that were running then get their responses later. */
  let wasClosed = false;

  const show = async (response: Response): Promise<void> => {
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const content = page.querySelector<HTMLElement>('[data-dialog-content]');
    if (!content && !response.ok) {
      const fault = page.querySelector('main .lead, main p')?.textContent;
      showToast(fault ?? 'That didn’t work.', { isFault: true });
      return;
    }
    if (!content) {
      carryToasts(page);
      location.assign(response.url);
      return;
    }
    if (wasClosed && content.dataset.asks !== undefined) {
      wasClosed = false;
      document.body.append(dialog.element);
    }
    if (wasClosed) {
      const fault = content.querySelector('.fault, .form-fault')?.textContent;
      if (fault) showToast(fault, { isFault: true });
      for (const toast of page.querySelectorAll('.toast')) toast.addEventListener('submit', send);
      adoptToasts(page);
      tellOfChange();
      return;
    }
    addStylesheets(page);
    const title = content.dataset.dialogContent ?? '';
    const known = new Set(namesIn(dialog.element).map(({ textContent }) => textContent));
    const focused = focusPath(dialog.element);
    dialog.fill(title, document.adoptNode(content));
    if (!dialog.element.open) {
      dialog.element.showModal();
      // The browser's default would be the first button, which closes the dialog.
      const fields = [...content.querySelectorAll<HTMLElement>(FIRST_FIELD)];
      const first = fields.find((field) => !field.closest('details:not([open])'));
      // Scrolls only as far as needed, because what comes first in a dialog is said first.
      first?.focus({ preventScroll: true });
      first?.scrollIntoView({ block: 'nearest' });
    }
    dialog.element.dispatchEvent(new Event('contentadded', { bubbles: true }));
    if (focused) restoreFocus(dialog.element, focused);
    if (!dialog.element.contains(document.activeElement)) dialog.focus();
    adoptToasts(page);
    // Whoever was just added is in view, however long the list is, and above the message about it.
    const added = namesIn(content).find(({ textContent }) => !known.has(textContent));
    if (known.size > 0) afterNextFrame(() => added?.scrollIntoView({ block: 'nearest' }));
  };

  const send = (event: Event): void => {
    const form = event.target as HTMLFormElement;
    const submitter = event instanceof SubmitEvent ? event.submitter : null;
    if (event.defaultPrevented || form.method !== 'post' || form.target !== '') return;
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    hasChanged = true;
    submitForm(form, submitter)
      .then((response) => {
        dismissResults();
        return show(response);
      })
      .catch(() => showToast('Not sent: no connection.', { isFault: true }))
      .finally(() => {
        isSending = false;
      });
  };
  dialog.element.addEventListener('submit', send);
  dialog.element.addEventListener('close', () => {
    wasClosed = true;
    // The form of an Undo toast is also sent by script, so that this page stays open.
    for (const toast of keepToasts(dialog.element)) toast.addEventListener('submit', send);
    dialog.element.remove();
    if (hasChanged) tellOfChange();
  });
  try {
    await show(await fetch(href, { headers: { accept: 'text/html' } }));
  } catch {
    location.assign(href);
  }
}

const namesIn = (within: Element) => [...within.querySelectorAll('.person .item-title')];

/** Adds the stylesheets that a fetched page has and this one lacks. */
function addStylesheets(page: Document): void {
  for (const link of page.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    const href = link.getAttribute('href') ?? '';
    const isHere = document.querySelector(`link[rel="stylesheet"][href="${CSS.escape(href)}"]`);
    if (!isHere) document.head.append(document.adoptNode(link));
  }
}

function tellOfChange(): void {
  const notice = new CustomEvent('dialogchanged', { cancelable: true });
  if (document.dispatchEvent(notice)) void refreshPage();
}

/**
 * Submits a form like the browser, and returns the resulting page.
 *
 * @param accept `application/json` for errors that name their field
 */
export function submitForm(
  form: HTMLFormElement,
  submitter: HTMLElement | null = null,
  accept = 'text/html',
): Promise<Response> {
  const data = new FormData(form, submitter);
  const isMultipart = form.enctype === 'multipart/form-data';
  const body = isMultipart ? data : new URLSearchParams(data as unknown as Record<string, string>);
  return fetch(form.action, { method: 'POST', body, headers: { accept, ...shownText() } });
}

/** Asks for the page with what somebody types, if it is shown (`features/live/typed-text-service.ts`). */
function shownText(): Record<string, string> {
  const typed = document.querySelector<HTMLElement>('#live')?.dataset.typed;
  return typed === undefined ? {} : { 'x-typed-text': typed };
}

/** Fetches the page on the screen again, to show what is new. A message of the service stays for later. */
export function fetchUpdate(): Promise<Response> {
  const headers = { accept: 'text/html', 'x-page-update': '1', ...shownText() };
  return fetch(location.href, { headers, cache: 'no-store' });
}

let refreshes = 0;

/**
 * Lets what keeps this page up to date (`features/live/client/live.ts`) show the same page as fetched
 * later, so that nothing new comes to the screen without a mark.
 *
 * @returns whether it was shown; not on pages that nothing keeps up to date
 */
export function showFetched(page: Document): boolean {
  return !document.dispatchEvent(
    new CustomEvent('pagefetched', { detail: page, cancelable: true }),
  );
}

/** Refreshes this page's content without a navigation. */
async function refreshPage(): Promise<void> {
  const refresh = ++refreshes;
  const response = await fetchUpdate();
  const html = await response.text();
  // A dialog that was opened in the meantime returns the focus to its opener, so wait before
  // replacing the opener.
  await noDialog();
  // A change in that dialog started another refresh, whose response is newer.
  if (refresh !== refreshes) return;
  if (!response.ok || response.redirected) {
    location.reload();
    return;
  }
  const page = new DOMParser().parseFromString(html, 'text/html');
  const isLive = document.querySelector('#live') !== null;
  if (isLive && !showFetched(page)) {
    carryToasts(document);
    location.reload();
    return;
  }
  document.title = page.title;
  const toasts = [...document.querySelectorAll('#toasts > .toast')];
  const before = document.activeElement as HTMLElement | null;
  for (const selector of isLive ? ['.rail'] : ['.trail', '.own-actions', '.rail', '#main']) {
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

async function noDialog(): Promise<void> {
  const dialog = document.querySelector('dialog[open]');
  if (!dialog) return;
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  await noDialog();
}

interface Dialog {
  element: HTMLDialogElement;
  fill(title: string, content: Element): void;
  /** Focuses the title. Call when the focused element was removed. */
  focus(): void;
}

let dialogs = 0;

/**
 * Creates a modal dialog with a title and a close button. Escape and a click outside also close it.
 */
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
    // A text selection that ends outside the dialog also arrives as a click on it.
    const isBeside = target === element && pressed === element;
    if (!isBeside && !closer) return;
    // A link would navigate to the page that is already open.
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

/** Returns a label, id or title that finds the focused element after the content is replaced. */
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
