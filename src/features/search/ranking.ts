import type { SearchQuery } from '../../base/search/search-query.ts';
import { closenessOfTexts } from '../../base/search/word-match.ts';
import type { LibraryRow } from '../../core/document/library-row-store.ts';
import { type Sort, titleKey } from '../library/library-sort.ts';

/** More than any {@link rankOf}. */
export const MAX_RANK = 4;

/**
 * Returns the place of a match among others, 0 for the best: all words are the name or title, are in it,
 * stand whole in the text, or have only their beginnings there.
 *
 * @param whole the ids of documents whose texts have the words as they were typed
 */
export function rankOf(row: LibraryRow, query: SearchQuery, whole: ReadonlySet<string>): number {
  const inName = closenessOfTexts(query, [row.name, row.title ?? '']);
  if (inName) return inName === 'whole' ? 0 : 1;
  return whole.has(row.id) ? 2 : 3;
}

/** Orders what was changed last first, as matches of one rank. */
export function compareRecency(a: LibraryRow, b: LibraryRow): number {
  const [first, second] = [b.updatedAt + b.id, a.updatedAt + a.id];
  return first < second ? -1 : 1;
}

export const COMPARED_BY: Record<Sort, (a: LibraryRow, b: LibraryRow) => number> = {
  changed: compareRecency,
  created: (a, b) => (a.id > b.id ? -1 : 1),
  title: (a, b) => (`${titleKey(a)}\0${a.id}` < `${titleKey(b)}\0${b.id}` ? -1 : 1),
};
