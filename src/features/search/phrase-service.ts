import type { SearchQuery } from '../../base/search/search-query.ts';
import { MAX_TEXT_LENGTH } from '../../base/search/search-text.ts';
import type { Actor, Context } from '../../core/context.ts';
import type { LibraryRow } from '../../core/document/library-row-store.ts';
import { loadTexts, MAX_READ as READ_AT_ONCE } from './excerpt-service.ts';

/** How much text one search reads, in characters. Further documents are left out. */
const MAX_READ = 32 * MAX_TEXT_LENGTH;

/** How many documents are read at once. */
const AT_ONCE = 64;

/**
 * Keeps the documents whose name, title or text has the phrases of a query and no excluded one. The
 * index knows which words a document has, but not their order.
 *
 * @param rows that match by their words, the best first
 * @param enough how many are wanted
 */
export async function keepWithPhrases(
  context: Context,
  actor: Actor,
  query: SearchQuery,
  rows: readonly LibraryRow[],
  enough: number,
): Promise<LibraryRow[]> {
  const kept: LibraryRow[] = [];
  let left = MAX_READ;
  for (let start = 0; start < rows.length && left > 0 && kept.length < enough; ) {
    const some = fitting(rows.slice(start, start + AT_ONCE));
    start += some.length;
    left -= sum(some);
    const found = await context.searchThreads.withPhrases(actor.id, query, async () => {
      const loaded = await loadTexts(context, actor, some);
      return loaded.map(([row, text]) => ({ item: row, names: [row.name, row.title ?? ''], text }));
    });
    kept.push(...found);
  }
  return kept;
}

/** Returns the first documents, of which all texts can be read at once. */
function fitting(rows: readonly LibraryRow[]): LibraryRow[] {
  const count = rows.findIndex((_, index) => sum(rows.slice(0, index + 1)) > READ_AT_ONCE);
  return count < 0 ? [...rows] : rows.slice(0, Math.max(1, count));
}

function sum(rows: readonly LibraryRow[]): number {
  return rows.reduce((all, { sizeBytes }) => all + Math.min(sizeBytes, MAX_TEXT_LENGTH), 0);
}
