import type { Kind } from '../schema/kind.ts';

/**
 * Counts the line breaks that a text has written out as `\n`, by accident: in a page only those
 * between tags, because scripts on one line have such texts.
 */
export function escapedBreaks(kind: Kind, text: string): number {
  // Before a small letter, it can be TeX (`\nabla`) or a path (`C:\new`).
  if (kind === 'brief' && !/(?<!\\)\\n(?![a-z])/.test(text)) return 0;
  const written = kind === 'page' ? />\s*\\n(?=\s|<|$)/g : /(?<!\\)\\n/g;
  return text.match(written)?.length ?? 0;
}

/** Counts the line breaks between the first and the last line that isn't empty. */
export function realBreaks(text: string): number {
  return text.trim().match(/\n/g)?.length ?? 0;
}
