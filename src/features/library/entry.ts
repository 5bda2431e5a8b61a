import type { Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';

/** A document in a list. */
export interface Entry {
  kind: Kind;
  ownerNamespace: string;
  name: string;
  /** Its title, if it has one. */
  title: string | null;
  visibility: Visibility;
  updatedAt: string;
  /** A username, if known. */
  updatedBy?: string | null;
  labels?: readonly string[];
  isPinned?: boolean;
}

/** The most of a title to show, in UTF-16 code units. */
const MAX_TITLE = 80;

/**
 * Formats an entry as one line of JSON, so that its title and excerpt, which users wrote, can't
 * pass for another entry. Leaves out empty fields.
 */
export function inOneLine(entry: Entry, match = ''): string {
  const { kind, ownerNamespace, name, title, visibility, updatedAt, updatedBy } = entry;
  const { labels = [], isPinned } = entry;
  return JSON.stringify({
    name: `${ownerNamespace}/${name}`,
    ...(kind === 'page' && { kind }),
    ...(title && { title: title.slice(0, MAX_TITLE).toWellFormed() }),
    visibility,
    changed: updatedAt.slice(0, 16),
    ...(updatedBy && { by: updatedBy }),
    ...(labels.length > 0 && { labels }),
    ...(isPinned && { pinned: true }),
    ...(match && { match: match.toWellFormed() }),
  });
}

/**
 * Formats an entry in `maxBytes`: with as much of its excerpt as fits, and without its labels if
 * they don't fit. The other fields are never cut, so the line can be longer.
 */
export function fitting(whole: Entry, match: string, maxBytes: number): string {
  const fits = Buffer.byteLength(inOneLine(whole)) <= maxBytes;
  const entry = fits ? whole : { ...whole, labels: [] };
  let length = Math.min(match.length, maxBytes);
  for (;;) {
    const line = inOneLine(entry, match.slice(0, length));
    const over = Buffer.byteLength(line) - maxBytes;
    if (over <= 0 || length === 0) return line;
    length = Math.max(0, length - Math.max(1, Math.floor(over / 3)));
  }
}
