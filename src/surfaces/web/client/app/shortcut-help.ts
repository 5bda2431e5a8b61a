import { PALETTE_SHORTCUT, PALETTE_SHORTCUT_ON_MAC } from '../../../../base/palette-shortcut.ts';
import { makeDialog } from './dialog.ts';

/**
 * The shortcuts in the help, in addition to the palette's. `page-shortcuts.ts` and `comments.ts`
 * implement them.
 */
const SHORTCUTS: [keys: string, does: string][] = [
  ['?', 'Show these shortcuts'],
  ['j', 'Next document in the list'],
  ['k', 'Previous document in the list'],
  ['/', 'Filter the list, or search'],
  ['c', 'New brief'],
  ['e', 'Edit the document; in the inbox, done with it'],
  ['s', 'Share the document; in the inbox, later'],
  ['m', 'Comment on the selection, or on the brief'],
  ['n', 'Next comment'],
  ['p', 'Previous comment'],
  ['r', 'Reply to the comment'],
  ['x', 'Resolve the comment'],
  ['a', 'Accept the suggestion'],
  [']', 'Next change'],
  ['[', 'Previous change'],
  ['w', 'Show who wrote what'],
  ['Escape', 'Close dialogs and menus'],
];

export function showHelp(): void {
  const list = document.createElement('dl');
  list.className = 'shortcuts';
  const isMac = navigator.platform.startsWith('Mac');
  const all: typeof SHORTCUTS = [
    [isMac ? PALETTE_SHORTCUT_ON_MAC : PALETTE_SHORTCUT, 'Search and go anywhere'],
    ...SHORTCUTS,
    [isMac ? '⌘ Enter' : 'Ctrl Enter', 'Send the comment or the reply'],
  ];
  for (const [keys, does] of all) {
    const term = document.createElement('dt');
    const key = document.createElement('kbd');
    key.textContent = keys;
    term.append(key);
    const description = document.createElement('dd');
    description.textContent = does;
    list.append(term, description);
  }
  const dialog = makeDialog();
  // It has nothing that takes the focus, and scrolls on a phone.
  list.tabIndex = 0;
  dialog.fill('Keyboard shortcuts', list);
  dialog.element.addEventListener('close', () => dialog.element.remove());
  dialog.element.showModal();
}
