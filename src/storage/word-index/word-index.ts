/** What is indexed of a document. */
export interface DocumentWords {
  id: string;
  /** When it changed, in milliseconds since 1970. */
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
   * @throws TookTooLong; BackEndUnavailable
   */
  change(documents: readonly DocumentWords[], forgotten: readonly string[]): Promise<void>;
  /**
   * Which documents have such words: the last changed, in no order.
   *
   * @throws BackEndUnavailable
   */
  find(query: WordQuery, limit: number): Promise<string[]>;
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
