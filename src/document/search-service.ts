import type { Actor, Context } from '../context.ts';
import { see } from './authorize.ts';
import { type Excerpt, excerptOf, isMatch } from './excerpt.ts';
import { type LibraryItem, toLibraryItem } from './library-service.ts';
import type { LibraryRow } from './library-store.ts';
import { walkWithPauses } from './pausing.ts';
import { loadText } from './search-document-text.ts';
import { isWanted, parseQuery, type SearchQuery } from './search-query.ts';
import { listFound, listReachableOrganizations, listWithContent } from './search-store.ts';
import { nameWords, termQueries } from './search-terms.ts';
import { MAX_TEXT_LENGTH } from './search-text.ts';
import { type FoundWord, findWords } from './search-words.ts';

/** The farthest that results go, counted from the first. */
const MAX_RESULTS = 1_000;

/** Whoever belongs to more organizations finds what the latest joined have, and what is public. */
const MAX_ORGANIZATIONS = 500;

/** How many entries of the index may be out of date without a page being shorter for it. */
const OUT_OF_DATE = 50;

/** How many texts are in memory at a time. */
const TEXTS_AT_ONCE = 4;

const WORDS_AT_ONCE = 1_000;

/** A document that was found. */
export interface SearchItem extends LibraryItem {
  /** Where it matches: plain text, of which only these ranges are matches. */
  excerpt: Excerpt;
}

/** Part of what was found, and the number of the next page; `undefined` when there is none. */
export interface SearchResults {
  items: SearchItem[];
  next: number | undefined;
}

/**
 * Documents that the actor may read with all words of a query, the last of which may be the
 * beginning of one: first those that have them in their name or title, then others; the most
 * recently changed first. Whatever was typed is a query. Changes are found a moment later.
 *
 * @param search.query its first 256 characters and 16 words count; without a word nothing is found
 * @param search.size how many on a page
 * @param search.page counts from 1, the first when absent
 */
export async function searchDocuments(
  context: Context,
  actor: Actor,
  search: { query: string; size: number; page?: number | undefined },
): Promise<SearchResults> {
  const query = parseQuery(search.query);
  const { size, page = 1 } = search;
  const skip = (page - 1) * size;
  const end = Math.min(skip + size, MAX_RESULTS);
  if (query.words.length === 0 || skip >= end) return { items: [], next: undefined };
  const { read } = context.sql;
  const organizations = await listReachableOrganizations(read, actor.id, MAX_ORGANIZATIONS);
  const terms = termQueries(query, { actorId: actor.id, organizations });
  const found = await listMatching(context, terms, actor, end + 1 + OUT_OF_DATE);
  const readable = found.filter(isReadable).map((row) => ({ row, inName: isInName(query, row) }));
  const shown = readable
    .sort((a, b) => Number(b.inName) - Number(a.inName) || compareRecency(a.row, b.row))
    .map(({ row }) => row);
  return {
    items: await withExcerpts(context, actor, query, shown.slice(skip, end)),
    next: shown.length > end && end < MAX_RESULTS ? page + 1 : undefined,
  };
}

/**
 * Documents that the index has for two queries, the latest of each, in no order. The index may be
 * older than the rows: whether the actor may read them is still to be seen.
 *
 * @param limit for each query
 */
async function listMatching(
  { sql: { read, words } }: Context,
  query: ReturnType<typeof termQueries>,
  actor: Actor,
  limit: number,
): Promise<readonly LibraryRow[]> {
  const inText = await words.find(query.text, limit);
  // Words of names are among those of texts, so that all that have them in their names are there.
  const inName = inText.length < limit ? [] : await words.find(query.name, limit);
  return listFound(read, [...new Set([...inText, ...inName])], actor.id);
}

const isReadable = (row: LibraryRow) => see(row).level !== 'none';

function isInName(query: SearchQuery, row: LibraryRow): boolean {
  const names = nameWords(row);
  return query.words.every((word, index) => {
    const isLast = index === query.words.length - 1;
    const one = { words: [word], lastIsPrefix: isLast && query.lastIsPrefix };
    return names.some((name) => isWanted(one, name));
  });
}

function compareRecency(a: LibraryRow, b: LibraryRow): number {
  const [first, second] = [b.updatedAt + b.id, a.updatedAt + a.id];
  return first < second ? -1 : 1;
}

/**
 * Reads the rows once more, now with their content: what is shown of a document is from a moment at
 * which the actor might read it.
 */
async function withExcerpts(
  context: Context,
  actor: Actor,
  query: SearchQuery,
  rows: readonly LibraryRow[],
): Promise<SearchItem[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const current = await listWithContent(context.sql.read, ids, actor.id, MAX_TEXT_LENGTH);
  const readable = new Map(current.filter(isReadable).map((row) => [row.id, row]));
  const shown = ids.flatMap((id) => readable.get(id) ?? []);
  const items: SearchItem[] = [];
  for (let start = 0; start < shown.length; start += TEXTS_AT_ONCE) {
    const some = shown.slice(start, start + TEXTS_AT_ONCE);
    const excerpts = await Promise.all(
      some.map(async (row) => makeExcerpt(query, (await loadText(context, row)) ?? '')),
    );
    for (const [index, row] of some.entries()) {
      items.push({ ...toLibraryItem(row), excerpt: excerpts[index] as Excerpt });
    }
  }
  return items;
}

async function makeExcerpt(query: SearchQuery, text: string): Promise<Excerpt> {
  let first: FoundWord | undefined;
  await walkWithPauses(findWords(text), WORDS_AT_ONCE, (word) => {
    if (isMatch(query, word)) first = word;
    return first !== undefined;
  });
  return excerptOf(text, query, first);
}
