export interface DocumentWords {
  id: string;
  /** When it changed, in milliseconds since 1970. */
  updatedAt: number;
  /** Distinct words of letters and digits, separated by spaces. */
  words: string;
  /** The text of a page, for excerpts. `null` for briefs, whose text is in their row. */
  pageText: PageText | null;
}

/** The plain text of a page's HTML. */
export interface PageText {
  /** The content that it was made from: a document's `storagePath`. */
  source: string;
  text: string;
}

/** A page whose text to read. */
export interface WantedText {
  id: string;
  /** The current content. If the text was made from other content, nothing is read. */
  source: string;
}

/** How much to read, in characters. */
export interface ReadLimits {
  /** Of all texts together. */
  all: number;
  /** Of each text beyond that, from its start. */
  beginning: number;
}

/**
 * A query of words of letters and digits. A prefix matches all words that begin with it. `none`
 * excludes what matches one of its queries.
 */
export type WordQuery =
  | { word: string; prefix?: boolean }
  | { all: readonly WordQuery[]; none?: readonly WordQuery[] }
  | { any: readonly WordQuery[] };

/**
 * Finds documents by their words. The index is updated after the documents, so it may be stale. It
 * can be rebuilt from them.
 */
export interface WordIndex {
  /**
   * Replaces the words and texts of some documents and removes others, atomically.
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
  /**
   * Returns the texts of pages by id, the first ones whole. Leaves out those that were made from
   * other content.
   *
   * @throws BackEndUnavailable
   */
  pageTexts(wanted: readonly WantedText[], limits: ReadLimits): Promise<Map<string, string>>;
  /** Removes all documents. */
  clear(): Promise<void>;
}

/** A database's query syntax. */
type Syntax = Record<'quote' | 'prefix' | 'and' | 'or' | 'andNot', string>;

/** Formats a query. Words contain nothing to escape. */
export function writeWords(query: WordQuery, syntax: Syntax): string {
  if ('word' in query) {
    return syntax.quote + query.word + syntax.quote + (query.prefix ? syntax.prefix : '');
  }
  const join = (parts: readonly WordQuery[], operator: string) =>
    `(${parts.map((part) => writeWords(part, syntax)).join(operator)})`;
  if ('any' in query) return join(query.any, syntax.or);
  const { all, none = [] } = query;
  const wanted = join(all, syntax.and);
  return none.length === 0 ? wanted : `(${wanted}${syntax.andNot}${join(none, syntax.or)})`;
}
