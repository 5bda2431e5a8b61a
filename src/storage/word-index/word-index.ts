export interface DocumentWords {
  id: string;
  /** When it changed, in milliseconds since 1970. */
  updatedAt: number;
  /** Distinct words of letters and digits, separated by spaces. */
  words: string;
}

/** A query of words of letters and digits. A prefix matches all words that begin with it. */
export type WordQuery =
  | { word: string; prefix?: boolean }
  | { all: readonly WordQuery[] }
  | { any: readonly WordQuery[] };

/**
 * Finds documents by their words. The index is updated after the documents, so it may be stale. It
 * can be rebuilt from them.
 */
export interface WordIndex {
  /**
   * Replaces the words of some documents and removes others, atomically.
   *
   * @throws TookTooLong; BackEndUnavailable
   */
  change(documents: readonly DocumentWords[], forgotten: readonly string[]): Promise<void>;
  /**
   * Returns the ids of the last changed documents that match, unordered.
   *
   * @throws BackEndUnavailable
   */
  find(query: WordQuery, limit: number): Promise<string[]>;
  /** Removes all documents. */
  clear(): Promise<void>;
}

/** A database's query syntax. */
type Syntax = Record<'quote' | 'prefix' | 'and' | 'or', string>;

/** Formats a query. Words contain nothing to escape. */
export function writeWords(query: WordQuery, syntax: Syntax): string {
  if ('word' in query) {
    return syntax.quote + query.word + syntax.quote + (query.prefix ? syntax.prefix : '');
  }
  const [parts, operator] = 'all' in query ? [query.all, syntax.and] : [query.any, syntax.or];
  return `(${parts.map((part) => writeWords(part, syntax)).join(operator)})`;
}
