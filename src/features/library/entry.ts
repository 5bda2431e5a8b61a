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

/** Presents an entry for a model, with the text around a match. Leaves out empty fields. */
export function presentEntry(entry: Entry, match = ''): object {
  const { kind, ownerNamespace, name, title, visibility, updatedAt, updatedBy } = entry;
  const { labels = [], isPinned } = entry;
  return {
    name: `${ownerNamespace}/${name}`,
    ...(kind === 'page' && { kind }),
    ...(title && { title: title.slice(0, MAX_TITLE).toWellFormed() }),
    visibility,
    changed: updatedAt.slice(0, 16),
    ...(updatedBy && { by: updatedBy }),
    ...(labels.length > 0 && { labels }),
    ...(isPinned && { pinned: true }),
    ...(match && { match: match.toWellFormed() }),
  };
}

/**
 * Presents an entry in `maxBytes` of JSON: with as much of its excerpt as fits, and without its
 * labels if they don't fit. The other fields are never cut, so it can be longer.
 */
export function fitting(whole: Entry, match: string, maxBytes: number): object {
  const fits = bytesOf(presentEntry(whole)) <= maxBytes;
  const entry = fits ? whole : { ...whole, labels: [] };
  let length = Math.min(match.length, maxBytes);
  for (;;) {
    const presented = presentEntry(entry, match.slice(0, length));
    const over = bytesOf(presented) - maxBytes;
    if (over <= 0 || length === 0) return presented;
    length = Math.max(0, length - Math.max(1, Math.floor(over / 3)));
  }
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
