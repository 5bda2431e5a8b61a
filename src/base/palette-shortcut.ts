/** The key that opens the palette, together with Ctrl or ⌘. */
const KEY = 'k';

export const PALETTE_SHORTCUT = `Ctrl ${KEY.toUpperCase()}`;
export const PALETTE_SHORTCUT_ON_MAC = `⌘ ${KEY.toUpperCase()}`;

/** Tells whether a key press opens the palette. */
export function isPaletteShortcut(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): boolean {
  const withCommand = event.ctrlKey || event.metaKey;
  return withCommand && !event.altKey && !event.shiftKey && event.key.toLowerCase() === KEY;
}
