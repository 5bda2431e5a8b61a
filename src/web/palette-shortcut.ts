/** The key that opens the palette, together with Ctrl or ⌘. */
export const PALETTE_KEY = 'k';

export const PALETTE_SHORTCUT = `Ctrl ${PALETTE_KEY.toUpperCase()}`;
export const PALETTE_SHORTCUT_ON_MAC = `⌘ ${PALETTE_KEY.toUpperCase()}`;
