import { isPaletteShortcut } from '../../../../base/palette-shortcut.ts';
import { moveInRows } from './rows.ts';
import { showToast } from './toast.ts';

const PALETTE_LOADS_AFTER_MS = 200;

let palette: typeof import('./palette.ts') | undefined;

/** Actions by key. Any other key clicks the element with that key in `data-shortcut`. */
const ACTIONS: { [key: string]: () => void } = {
  '?': openHelp,
  j: () => moveInRows(1),
  k: () => moveInRows(-1),
  '/': filterOrSearch,
};

function filterOrSearch(): void {
  const field = document.querySelector<HTMLElement>('[data-shortcut="/"]');
  if (field) field.focus();
  else openPalette();
}

/** Implements the keyboard shortcuts, and links that open the palette. */
export function connectShortcuts(): void {
  addEventListener('load', () => setTimeout(loadPalette, PALETTE_LOADS_AFTER_MS));
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (isPaletteShortcut(event)) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) return sendFrom(event);
    if (!isShortcut(event)) return;
    const selector = `[data-shortcut="${CSS.escape(event.key)}"]`;
    // Where there are several, the one of the group that has the focus.
    const group = document.activeElement?.closest('[data-group]');
    const element = (group ?? document).querySelector<HTMLElement>(selector);
    const act = ACTIONS[event.key];
    if (!element && !act) return;
    event.preventDefault();
    if (act) act();
    else if (element) press(element);
  });
  document.addEventListener('click', (event) => {
    const opener = (event.target as Element).closest('[data-opens="palette"]');
    if (!opener || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    openPalette();
  });
}

/** Clicks an element; if it opens a menu, goes to its first entry. */
function press(element: HTMLElement): void {
  element.click();
  const menu = element.matches('summary') ? element.closest('details') : null;
  if (menu?.open) menu.querySelector<HTMLElement>('.menu-item')?.focus();
}

/** The fields for what somebody says; a document's text is saved otherwise. */
const SAYINGS = 'textarea:is([name="body"], [name="replacement"], [name="quote"])';

/**
 * Sends what is written in a field for a comment. If the form has several buttons, focuses the first
 * one, because a decision is not taken by accident.
 */
function sendFrom(event: KeyboardEvent): void {
  const field = event.target as HTMLTextAreaElement;
  if (!field.matches(SAYINGS)) return;
  const around = field.closest('details.reply') ?? field.form;
  const buttons = [
    ...(around?.querySelectorAll<HTMLButtonElement>('[type="submit"]:not([formnovalidate])') ?? []),
  ].filter((button) => button.checkVisibility());
  const [first] = buttons;
  if (!first) return;
  event.preventDefault();
  if (buttons.length > 1) first.focus();
  else first.click();
}

/** Tells whether a key is meant for the page: not for a field, a dialog or the browser. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false;
  const withCommand = event.ctrlKey || event.metaKey || event.altKey;
  return !withCommand && !isTyping(event.target) && !hasDialog();
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement;
  return element.isContentEditable || element.matches('input, textarea, select');
}

function hasDialog(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

/** Opens the list of shortcuts. Its code loads only then. */
function openHelp(): void {
  void import('./shortcut-help.ts').then(
    ({ showHelp }) => showHelp(),
    // The page was left, or there is no connection.
    () => showToast('The shortcuts could not be loaded. Try again.', { isFault: true }),
  );
}

/** Loads the palette's code, if it isn't loaded. */
async function loadPalette(): Promise<void> {
  palette ??= await import('./palette.ts');
}

/**
 * Opens the palette. Its code loads soon after the page, so that the palette opens at once. An
 * import would delay it, and the page would treat the next keys as shortcuts.
 */
function openPalette(): void {
  if (palette) palette.openPalette();
  else void loadPalette().then(() => palette?.openPalette());
}
