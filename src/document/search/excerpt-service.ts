import type { Actor, Context } from '../../context.ts';
import { see } from '../authorize.ts';
import { loadWritten } from '../content.ts';
import type { LibraryRow } from '../library-row-store.ts';
import type { Excerpt } from './excerpt.ts';
import type { SearchQuery } from './search-query.ts';
import { listWithContent } from './search-store.ts';
import { lengthOf, MAX_TEXT_LENGTH, type Written } from './search-text.ts';

/** How much text is in memory at a time, in characters, unless one document is larger. */
const CHARACTERS_AT_ONCE = 1024 * 1024;

/** A document that was found. */
export interface Found {
  row: LibraryRow;
  /** The text around a match, plain, with the ranges of matches. */
  excerpt: Excerpt;
}

/**
 * Reads the rows again with their content, and checks access again, so that an excerpt comes from a
 * moment when the actor could read it.
 */
export async function withExcerpts(
  context: Context,
  actor: Actor,
  query: SearchQuery,
  rows: readonly LibraryRow[],
): Promise<Found[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const current = await listWithContent(context.sql.read, ids, actor.id, MAX_TEXT_LENGTH);
  const readable = new Map(
    current.filter((row) => see(row).level !== 'none').map((row) => [row.id, row]),
  );
  const shown = ids.flatMap((id) => readable.get(id) ?? []);
  const excerpts: Excerpt[] = [];
  for await (const texts of loadTexts(context, shown)) {
    excerpts.push(...(await context.searchThreads.excerpts(actor.id, query, texts)));
  }
  return shown.map((row, index) => ({ row, excerpt: excerpts[index] as Excerpt }));
}

/** Yields the documents' contents in order, a limited amount at a time. */
async function* loadTexts(
  context: Context,
  rows: readonly (LibraryRow & { content: string | null })[],
): AsyncGenerator<Written[]> {
  let texts: Written[] = [];
  let characters = 0;
  for (const row of rows) {
    const text = (await loadWritten(context, row)) ?? { markdown: '' };
    characters += lengthOf(text);
    texts.push(text);
    if (characters < CHARACTERS_AT_ONCE) continue;
    yield texts;
    texts = [];
    characters = 0;
  }
  if (texts.length > 0) yield texts;
}
