import type { Excerpt } from '../../document/search/excerpt.ts';
import type { SearchQuery } from '../../document/search/search-query.ts';
import type { TermSource } from '../../document/search/search-terms.ts';
import type { Written } from '../../document/search/search-text.ts';

/** A document that is to be indexed. */
export interface IndexableDocument {
  id: string;
  /** When it changed, in milliseconds since 1970. */
  updatedAt: number;
  source: TermSource;
}

/** What is indexed of a document. */
export interface DocumentWords {
  id: string;
  updatedAt: number;
  /** Of letters and digits, each once, separated by spaces. */
  words: string;
}

/** Words of letters and digits; where a word is a prefix, whatever begins with it. */
export type WordQuery =
  | { word: string; prefix?: boolean }
  | { all: readonly WordQuery[] }
  | { any: readonly WordQuery[] };

/**
 * Finds documents by their words. What it has of them it is told after they have changed, so that it may
 * be out of date; it can be made again of them.
 */
export interface WordIndex {
  /**
   * Replaces the words of documents, and forgets other documents: all of it, or none.
   *
   * @returns the ids of documents that took too long: only words from the beginning of their text are
   *   indexed
   * @throws TookTooLong when the documents together do; BackEndUnavailable
   */
  change(documents: readonly IndexableDocument[], forgotten: readonly string[]): Promise<string[]>;
  /**
   * Which documents have such words: the last changed, in no order.
   *
   * @throws BackEndUnavailable
   */
  find(query: WordQuery, limit: number): Promise<string[]>;
  /**
   * Finds where the words of a query are in texts, on a thread. Keys take turns (see `fair-queue.ts`).
   *
   * @param key whose search it is, such as an account's id
   * @returns one excerpt for each text: its beginning where there is no such word or finding it takes
   *   too long, and empty where even that does
   * @throws RATE_LIMITED when too many searches of this key wait; BackEndUnavailable
   */
  excerpts(key: string, query: SearchQuery, texts: readonly Written[]): Promise<Excerpt[]>;
  /** Forgets all. */
  clear(): Promise<void>;
}

/** How a database writes queries. */
type Syntax = Record<'quote' | 'prefix' | 'and' | 'or', string>;

/** A query as a database wants it. Words hold nothing that would have to be escaped. */
export function writeWords(query: WordQuery, syntax: Syntax): string {
  if ('word' in query) {
    return syntax.quote + query.word + syntax.quote + (query.prefix ? syntax.prefix : '');
  }
  const [parts, operator] = 'all' in query ? [query.all, syntax.and] : [query.any, syntax.or];
  return `(${parts.map((part) => writeWords(part, syntax)).join(operator)})`;
}
