import { makeDialog } from './dialog.ts';
import { openPalette } from './palette.ts';
import { moveInRows } from './rows.ts';

/** One key, and what it does wherever nobody is typing. */
interface Shortcut {
  keys: string;
  does: string;
  run?: () => void;
}

/** What the help sheet lists; those without `run` are kept by links and fields with the key. */
const SHORTCUTS: { [key: string]: Shortcut } = {
  '?': { keys: '?', does: 'Show these shortcuts', run: showHelp },
  j: { keys: 'j', does: 'Next document in the list', run: () => moveInRows(1) },
  k: { keys: 'k', does: 'Previous document in the list', run: () => moveInRows(-1) },
  '/': { keys: '/', does: 'Filter the list, or search', run: filterOrSearch },
  c: { keys: 'c', does: 'New brief' },
  e: { keys: 'e', does: 'Edit the document' },
  s: { keys: 's', does: 'Share the document' },
};

function filterOrSearch(): void {
  const field = document.querySelector<HTMLElement>('[data-shortcut="/"]');
  if (field) field.focus();
  else openPalette();
}

/** Makes single keys do what they say, and Ctrl K or Cmd K open the palette. */
export function connectShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const withCommand = event.ctrlKey || event.metaKey;
    if (withCommand && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      openPalette();
      return;
    }
    if (withCommand || event.altKey || isTyping(event.target) || hasDialog()) return;
    const element = document.querySelector<HTMLElement>(
      `[data-shortcut="${CSS.escape(event.key)}"]`,
    );
    const shortcut = SHORTCUTS[event.key];
    if (!element && !shortcut?.run) return;
    event.preventDefault();
    if (shortcut?.run) shortcut.run();
    else element?.click();
  });
  document.addEventListener('click', (event) => {
    const opener = (event.target as Element).closest('[data-opens="palette"]');
    if (!opener || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    openPalette();
  });
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement;
  return element.isContentEditable || element.matches('input, textarea, select');
}

function hasDialog(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

/** Everything that a key does. */
export function showHelp(): void {
  const list = document.createElement('dl');
  list.className = 'shortcuts';
  const command = navigator.platform.startsWith('Mac') ? '⌘ K' : 'Ctrl K';
  const all = [
    { keys: command, does: 'Search and go anywhere' },
    ...Object.values(SHORTCUTS),
    { keys: 'Escape', does: 'Close what is open' },
  ];
  for (const { keys, does } of all) {
    const term = document.createElement('dt');
    const key = document.createElement('kbd');
    key.textContent = keys;
    term.append(key);
    const description = document.createElement('dd');
    description.textContent = does;
    list.append(term, description);
  }
  const dialog = makeDialog();
  dialog.fill('Keyboard shortcuts', list);
  dialog.element.addEventListener('close', () => dialog.element.remove());
  dialog.element.showModal();
}
