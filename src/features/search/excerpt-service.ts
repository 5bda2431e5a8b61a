import type { Excerpt, Marked } from '../../base/search/excerpt.ts';
import { type Excerptible, MAX_TEXT_LENGTH } from '../../base/search/search-text.ts';
import type { Call } from '../../core/context.ts';
import { see } from '../../core/document/authorize.ts';
import type { LibraryRow } from '../../core/document/library-row-store.ts';
import { listWithContent } from './search-store.ts';

/**
 * How much text one search reads for excerpts, in characters: of briefs, and as much of pages.
 * Further documents show the beginning of their text.
 */
export const MAX_READ = 8 * MAX_TEXT_LENGTH;

/** How much of a text is read to show its beginning, in characters. */
const BEGINNING = 1_000;

/** A document that was found. */
export interface Found {
  row: LibraryRow;
  /** The text around a match, plain, with the ranges of matches. */
  excerpt: Excerpt;
}

/**
 * Reads the rows again with their texts, and checks access again, so that an excerpt comes from a
 * moment when the actor could read it. The text of a page comes from the index, if it was made from
 * the page's current content; otherwise, the excerpt is empty.
 */
export async function withExcerpts(
  call: Call,
  marked: Marked,
  rows: readonly LibraryRow[],
): Promise<Found[]> {
  if (rows.length === 0) return [];
  const found = await call.searchThreads.excerpts(call.actor.id, marked, () =>
    loadTexts(call, rows),
  );
  return found.map(([row, excerpt]) => ({ row, excerpt }));
}

/** Loads the texts of the documents that the actor can read now, in the same order. */
export async function loadTexts(
  call: Call,
  rows: readonly LibraryRow[],
): Promise<[LibraryRow, Excerptible][]> {
  const most = shareOut(rows);
  const current = await listWithContent(call.sql.read, most, call.actor.id);
  const readable = new Map(
    current.filter((row) => see(row).level !== 'none').map((row) => [row.id, row]),
  );
  const shown = rows.flatMap(({ id }) => readable.get(id) ?? []);
  const pages = await call.sql.words.pageTexts(
    shown.flatMap(({ id, storagePath: source }) => (source === null ? [] : { id, source })),
    { all: MAX_READ, beginning: BEGINNING },
  );
  return shown.map((row): [LibraryRow, Excerptible] => [
    row,
    row.content === null ? { plain: pages.get(row.id) ?? '' } : { markdown: row.content },
  ]);
}

/** Returns how many characters of each row's content to read, by id; {@link MAX_READ} in all. */
function shareOut(rows: readonly LibraryRow[]): Map<string, number> {
  let left = MAX_READ;
  return new Map(
    rows.map(({ id, sizeBytes, storagePath }) => {
      const length = storagePath === null ? Math.min(sizeBytes, MAX_TEXT_LENGTH) : 0;
      const isAffordable = length <= left;
      if (isAffordable) left -= length;
      return [id, isAffordable ? MAX_TEXT_LENGTH : BEGINNING];
    }),
  );
}
