import { setImmediate as pause } from 'node:timers/promises';
import type { Excerpt } from '../../base/search/excerpt.ts';
import {
  canForgive,
  type ForgivingMatch,
  matchForgiving,
} from '../../base/search/forgiving-match.ts';
import {
  isWanted as isWantedWord,
  parseQuery,
  type SearchQuery,
} from '../../base/search/search-query.ts';
import { nameWords, termQueries } from '../../base/search/search-terms.ts';
import type { Actor, Context } from '../../core/context.ts';
import { see } from '../../core/document/authorize.ts';
import type { LibraryRow } from '../../core/document/library-row-store.ts';
import { type LibraryItem, toLibraryItem } from '../library/library-service.ts';
import { type Sort, titleKey } from '../library/library-sort.ts';
import { type Found, withExcerpts } from './excerpt-service.ts';
import { listFound, listReachableOrganizations } from './search-store.ts';

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
}

/** A result page and the number of the next one; `undefined` at the end. */
export interface SearchResults {
  items: SearchItem[];
  next: number | undefined;
}

/** Finds documents as {@link findDocuments} does, as lists of the app show them. */
export async function searchDocuments(
  context: Context,
  actor: Actor,
  search: Search,
): Promise<SearchResults> {
  const { items, next } = await findDocuments(context, actor, search);
  return { items: items.map(({ row, excerpt }) => ({ ...toLibraryItem(row), excerpt })), next };
}

/**
 * Finds documents that the actor can read and that have all words of a query. The last word can be
 * a prefix. Matches in names and titles come first, then the most recently changed. If there are
 * few, adds documents whose names and titles match with typing errors. Changes can be found a
 * moment later.
 *
 * @returns a result page, the number of the next one, and the number of results, at most 1,000.
 *   Unless `isCounted`, it covers only the results that were looked at.
 */
export async function findDocuments(
  context: Context,
  actor: Actor,
  search: Search,
): Promise<{ items: Found[]; next: number | undefined; total: number }> {
  const query = parseQuery(search.query);
  const { size, page = 1, sort, isWanted, isCounted = false } = search;
  const skip = (page - 1) * size;
  const end = Math.min(skip + size, MAX_RESULTS);
  const isPast = skip >= end && !isCounted;
  if (query.words.length === 0 || isPast) return { items: [], next: undefined, total: 0 };
  const { read } = context.sql;
  const organizations = await listReachableOrganizations(read, actor.id, MAX_ORGANIZATIONS);
  const terms = termQueries(query, { actorId: actor.id, organizations });
  const limit = isWanted || sort || isCounted ? MAX_RESULTS : end + 1 + OUT_OF_DATE;
  const found = await listMatching(context, terms, actor, limit);
  const readable: { row: LibraryRow; inName: boolean }[] = [];
  const wanted = found.filter((row) => isReadable(row) && (isWanted?.(row) ?? true));
  await walkWithPauses(wanted, NAMES_AT_ONCE, (row) => {
    readable.push({ row, inName: isInName(query, row) });
  });
  const shown = readable
    .sort((a, b) => {
      if (sort) return COMPARED_BY[sort](a.row, b.row);
      return Number(b.inName) - Number(a.inName) || compareRecency(a.row, b.row);
    })
    .map(({ row }) => row);
  const forgiven =
    shown.length < FEW && canForgive(query)
      ? await listForgiven(context, terms.forgiving, actor, query)
      : [];
  const exact = new Set(shown.map(({ id }) => id));
  const others = forgiven
    .filter(({ row }) => !exact.has(row.id) && (isWanted?.(row) ?? true))
    .slice(0, MAX_FORGIVEN)
    .sort((a, b) => (sort ? COMPARED_BY[sort](a.row, b.row) : 0));
  shown.push(...others.map(({ row }) => row));
  const corrections = new Set(others.flatMap((one) => one.corrections));
  const words = [...corrections, ...query.words];
  return {
    items: await withExcerpts(context, actor, { ...query, words }, shown.slice(skip, end)),
    next: shown.length > end && end < MAX_RESULTS ? page + 1 : undefined,
    total: Math.min(shown.length, MAX_RESULTS),
  };
}

/**
 * Looks up two queries in the index and returns the latest documents of each, unordered. The index
 * may be stale, so the caller must check that the actor can read them.
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
  // Words of names are indexed as text, too, so a short list already has all matches in names.
  const inName = inText.length < limit ? [] : await words.find(query.name, limit);
  return listFound(read, [...new Set([...inText, ...inName])], actor.id);
}

/**
 * Lists documents whose names and titles match a query with typing errors, fewest errors first.
 * Corrections come only from names of documents that the actor can read, so they reveal nothing
 * about others.
 */
async function listForgiven(
  { sql: { read, words } }: Context,
  terms: ReturnType<typeof termQueries>['forgiving'],
  actor: Actor,
  query: SearchQuery,
): Promise<(ForgivingMatch & { row: LibraryRow })[]> {
  const rows = await listFound(read, await words.find(terms, MAX_COMPARED), actor.id);
  const matches: (ForgivingMatch & { row: LibraryRow })[] = [];
  await walkWithPauses(rows.filter(isReadable), NAMES_AT_ONCE_FORGIVING, (row) => {
    const match = matchForgiving(query, new Set(nameWords(row)));
    if (match) matches.push({ ...match, row });
  });
  return matches.sort((a, b) => a.errors - b.errors || compareRecency(a.row, b.row));
}

const isReadable = (row: LibraryRow) => see(row).level !== 'none';

function isInName(query: SearchQuery, row: LibraryRow): boolean {
  const names = nameWords(row);
  return query.words.every((word, index) => {
    const isLast = index === query.words.length - 1;
    const one = { words: [word], lastIsPrefix: isLast && query.lastIsPrefix };
    return names.some((name) => isWantedWord(one, name));
  });
}

function compareRecency(a: LibraryRow, b: LibraryRow): number {
  const [first, second] = [b.updatedAt + b.id, a.updatedAt + a.id];
  return first < second ? -1 : 1;
}

const COMPARED_BY: Record<Sort, (a: LibraryRow, b: LibraryRow) => number> = {
  changed: compareRecency,
  created: (a, b) => (a.id > b.id ? -1 : 1),
  title: (a, b) => (`${titleKey(a)}\0${a.id}` < `${titleKey(b)}\0${b.id}` ? -1 : 1),
};

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
