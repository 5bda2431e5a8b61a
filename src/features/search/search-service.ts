import { setImmediate as pause } from 'node:timers/promises';
import type { Excerpt } from '../../base/search/excerpt.ts';
import {
  canForgive,
  type ForgivingMatch,
  matchForgiving,
} from '../../base/search/forgiving-match.ts';
import {
  parseQuery,
  plainWords,
  type SearchQuery,
  type SearchTerm,
} from '../../base/search/search-query.ts';
import {
  forgivingQuery,
  nameWords,
  type Reach,
  type TermQueries,
  termQueries,
  wordsQuery,
} from '../../base/search/search-terms.ts';
import { MAX_TEXT_LENGTH } from '../../base/search/search-text.ts';
import { needsText } from '../../base/search/word-match.ts';
import type { Call, Context } from '../../core/context.ts';
import { see } from '../../core/document/authorize.ts';
import type { LibraryRow } from '../../core/document/library-row-store.ts';
import { type LibraryItem, toLibraryItems } from '../library/library-service.ts';
import type { Sort } from '../library/library-sort.ts';
import {
  type Found,
  loadTexts,
  MAX_READ as READ_AT_ONCE,
  withExcerpts,
} from './excerpt-service.ts';
import { COMPARED_BY, compareRecency, MAX_RANK, rankOf } from './ranking.ts';
import { listFound, listReachableOrganizations, listReachablePending } from './search-store.ts';

/** The most results that can be reached. */
const MAX_RESULTS = 1_000;

/** The most organizations that are searched: those joined last. */
const MAX_ORGANIZATIONS = 500;

/** How many index entries may be stale without making a result page shorter. */
const OUT_OF_DATE = 50;

/**
 * How many names are compared with a query between pauses, and how many if errors are tolerated.
 */
const NAMES_AT_ONCE = 32;
const NAMES_AT_ONCE_FORGIVING = 2;

/** With fewer results than this, names and titles are found despite typing errors, too. */
const FEW = 5;

/**
 * How many of the latest documents are compared, and how many are shown, if errors are tolerated.
 */
const MAX_COMPARED = 200;
const MAX_FORGIVEN = 50;

/** How many sets of words that aren't in a name are looked for elsewhere. */
const MAX_MISSING = 4;

/** How many of the documents that wait to be indexed are looked at. */
const MAX_PENDING = 50;

export interface SearchItem extends LibraryItem {
  /** The text around a match, plain, with the ranges of matches. */
  excerpt: Excerpt;
}

/** What to find, and the result page to return. */
interface Search {
  /** The first 256 characters and 16 words count; without a word, nothing is found. */
  query: string;
  /** Results per result page. */
  size: number;
  /** From 1, which is the default. */
  page?: number | undefined;
  /**
   * Another order than best match first; for very common words, only the latest documents are
   * sorted. Matches with typing errors still come last.
   */
  sort?: Sort | undefined;
  /** A further condition; for very common words, only the latest documents are checked. */
  isWanted?: (item: LibraryRow) => boolean;
  /** Whether to count all results. That takes longer. */
  isCounted?: boolean;
  /** Whether each word can be the beginning of a longer one, not only the last. */
  areAllPrefixes?: boolean;
}

/** Results on one page. */
interface ResultPage<Item> {
  items: Item[];
  /** The number of the next result page; `undefined` at the end. */
  next: number | undefined;
  /** How many results there are, at most 1,000. */
  total: number;
  /** Whether there are more than `total`. */
  isMore: boolean;
  /** Whether documents that the actor can read have changes that can't be found yet. */
  isBehind: boolean;
  /** Whether none has all words, so these have most of them. */
  isPartial?: true;
}

export type SearchResults = ResultPage<SearchItem>;

/** Finds documents as {@link findDocuments} does, as lists of the app show them. */
export async function searchDocuments(call: Call, search: Search): Promise<SearchResults> {
  const { items, ...page } = await findDocuments(call, search);
  const rows = items.map(({ row }) => row);
  const shown = await toLibraryItems(call, rows);
  return {
    ...page,
    items: items.map(({ excerpt }, at) => ({ ...(shown[at] as LibraryItem), excerpt })),
  };
}

/**
 * Finds documents that the actor can read and that match a query (see `parseQuery`). What matches in
 * names and titles comes first, then in texts; in both, whole words come before beginnings of words
 * and other forms of them, and then the last changed first. If there are few, adds documents whose
 * names and titles match with typing errors. If there are none, of three words or more, leaves out the frequent ones of the
 * query's language, such as those of a question; then finds what has most of the other words. Changes
 * can be found a moment later.
 */
export async function findDocuments(call: Call, search: Search): Promise<ResultPage<Found>> {
  const query = parseQuery(search.query, search);
  const found = await findMatching(call, search, query);
  const words = plainWords(query) ?? [];
  const rare = words.filter(({ isCommon }) => !isCommon);
  if (found.total > 0 || words.length < 3 || search.areAllPrefixes) return found;
  if (rare.length < words.length) {
    const less = { wanted: rare.map((term) => [term]), excluded: [] };
    const again = await findMatching(call, search, less);
    if (again.total > 0 || rare.length < 2) return again;
  }
  const counts = await countWords(call, rare, await reachOf(call));
  const enough = new Map([...counts].filter(([, count]) => count > rare.length / 2));
  if (enough.size === 0) return found;
  const any = { wanted: [rare], excluded: [] };
  const partial = await findMatching(call, search, any, enough);
  return partial.total > 0 ? { ...partial, isPartial: true } : found;
}

/** Counts how many of the words a document has, for those that have any. */
async function countWords(
  { sql: { words } }: Context,
  terms: readonly SearchTerm[],
  reach: Reach,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const term of terms) {
    const { text } = termQueries({ wanted: [[term]], excluded: [] }, reach);
    for (const id of await words.find(text, MAX_RESULTS)) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * Finds documents that match a query.
 *
 * @param counts the documents to choose from, with how many of the words they have; those with most
 *   come first. By default, the index is asked
 */
async function findMatching(
  call: Call,
  search: Search,
  query: SearchQuery,
  counts?: ReadonlyMap<string, number>,
): Promise<ResultPage<Found>> {
  const { size, page = 1, sort, isWanted = () => true, isCounted = false } = search;
  const skip = (page - 1) * size;
  const end = Math.min(skip + size, MAX_RESULTS);
  const reach = await reachOf(call);
  const isBehind = await hasPending(call, reach);
  const isPast = skip >= end && !isCounted;
  if (query.wanted.length === 0 || isPast) {
    return { items: [], next: undefined, total: 0, isMore: false, isBehind };
  }
  const isByText = needsText(query);
  const needsAll = search.isWanted || sort || isCounted || isByText;
  const limit = needsAll ? MAX_RESULTS : end + 1 + OUT_OF_DATE;
  const found = counts
    ? await listCounted(call, counts)
    : await listMatching(call, termQueries(query, reach), limit);
  const ranked: { row: LibraryRow; rank: number }[] = [];
  const wanted = found.rows.filter((row) => isReadable(row) && isWanted(row));
  await walkWithPauses(wanted, NAMES_AT_ONCE, (row) => {
    const lacking = MAX_RANK * -(counts?.get(row.id) ?? 0);
    ranked.push({ row, rank: lacking + rankOf(row, query, found.whole) });
  });
  const order = (a: (typeof ranked)[number], b: (typeof ranked)[number]) =>
    sort ? COMPARED_BY[sort](a.row, b.row) : a.rank - b.rank || compareRecency(a.row, b.row);
  let shown = ranked.sort(order).map(({ row }) => row);
  if (isByText) {
    const enough = isCounted ? MAX_RESULTS : end + 1;
    shown = await keepWithPhrases(call, query, shown, enough);
  }
  const terms = plainWords(query);
  const forgiven =
    terms && !counts && shown.length < FEW && canForgive(terms)
      ? await listForgiven(call, terms, reach)
      : [];
  const exact = new Set(shown.map(({ id }) => id));
  const others = forgiven
    .filter(({ row }) => !exact.has(row.id) && isWanted(row))
    .slice(0, MAX_FORGIVEN)
    .sort((a, b) => (sort ? COMPARED_BY[sort](a.row, b.row) : 0));
  shown.push(...others.map(({ row }) => row));
  const corrections = [...new Set(others.flatMap((one) => one.corrections))];
  const marked = { wanted: query.wanted, corrections };
  return {
    items: await withExcerpts(call, marked, shown.slice(skip, end)),
    next: shown.length > end && end < MAX_RESULTS ? page + 1 : undefined,
    total: Math.min(shown.length, MAX_RESULTS),
    isMore: found.isCut || shown.length > MAX_RESULTS || (isByText && shown.length > end),
    isBehind,
  };
}

async function reachOf({ sql: { read }, actor }: Call): Promise<Reach> {
  const organizations = await listReachableOrganizations(read, actor.id, MAX_ORGANIZATIONS);
  return { actorId: actor.id, organizations, only: actor.reach };
}

/** Tells whether documents that the actor can read wait to be indexed. */
async function hasPending({ sql: { read }, actor }: Call, reach: Reach): Promise<boolean> {
  const owners = [actor.id, ...reach.organizations.map(({ id }) => id)];
  const ids = await listReachablePending(read, { owners, actorId: actor.id, limit: MAX_PENDING });
  if (ids.length === 0) return false;
  return (await listFound(read, ids, actor.id)).some(isReadable);
}

/**
 * Looks up the queries in the index and returns the latest documents of each, unordered. The index
 * may be stale, so the caller must check that the actor can read them.
 *
 * @param limit for each query
 * @returns `whole`: the ids of documents with whole matches; `isCut`: whether there may be more
 */
async function listMatching(
  { sql: { read, words }, actor }: Call,
  queries: TermQueries,
  limit: number,
): Promise<{ rows: readonly LibraryRow[]; whole: ReadonlySet<string>; isCut: boolean }> {
  const [inText, whole] = await Promise.all([
    words.find(queries.text, limit),
    queries.whole && words.find(queries.whole, limit),
  ]);
  const isCut = inText.length === limit;
  // Words of names are indexed as text, too, so a short list already has all matches in names.
  const inName = isCut ? await words.find(queries.name, limit) : [];
  const ids = new Set([...inText, ...(whole ?? []), ...inName]);
  const rows = await listFound(read, [...ids], actor.id);
  return { rows, whole: new Set(whole ?? inText), isCut };
}

async function listCounted(
  { sql: { read }, actor }: Call,
  counts: ReadonlyMap<string, number>,
): ReturnType<typeof listMatching> {
  const ids = [...counts].sort(([, a], [, b]) => b - a).map(([id]) => id);
  const rows = await listFound(read, ids.slice(0, MAX_RESULTS), actor.id);
  return { rows, whole: new Set(), isCut: ids.length > MAX_RESULTS };
}

/**
 * Lists documents whose names and titles match words with typing errors, fewest errors first. Words
 * that aren't in the name must be in the text.
 * Corrections come only from names of documents that the actor can read, so they reveal nothing
 * about others.
 */
async function listForgiven(
  { sql: { read, words }, actor }: Call,
  terms: readonly SearchTerm[],
  reach: Reach,
): Promise<(ForgivingMatch & { row: LibraryRow })[]> {
  const ids = await words.find(forgivingQuery(terms, reach), MAX_COMPARED);
  const rows = await listFound(read, ids, actor.id);
  const matches: (ForgivingMatch & { row: LibraryRow })[] = [];
  await walkWithPauses(rows.filter(isReadable), NAMES_AT_ONCE_FORGIVING, (row) => {
    const match = matchForgiving(terms, nameWords(row));
    if (match) matches.push({ ...match, row });
  });
  const byMissing = Map.groupBy(matches, ({ missing }) => missing.join(' '));
  const found = await Promise.all(
    [...byMissing].slice(0, MAX_MISSING).map(async ([, group]) => {
      const missing = group[0]?.missing ?? [];
      if (missing.length === 0) return group;
      const having = new Set(await words.find(wordsQuery(missing, reach), MAX_RESULTS));
      return group.filter(({ row }) => having.has(row.id));
    }),
  );
  return found.flat().sort((a, b) => a.errors - b.errors || compareRecency(a.row, b.row));
}

const isReadable = (row: LibraryRow) => see(row).level !== 'none';

/**
 * Calls `work` for each item and lets other requests run in between.
 *
 * @param steps how many items to process without a pause
 */
async function walkWithPauses<T>(
  items: Iterable<T>,
  steps: number,
  work: (item: T) => void,
): Promise<void> {
  let left = steps;
  for (const item of items) {
    work(item);
    left--;
    if (left > 0) continue;
    await pause();
    left = steps;
  }
}

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
async function keepWithPhrases(
  call: Call,
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
    const found = await call.searchThreads.withPhrases(call.actor.id, query, async () => {
      const loaded = await loadTexts(call, some);
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
