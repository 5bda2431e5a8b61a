import { type Excerpt, excerptOf } from '../document/search/excerpt.ts';
import type { SearchQuery } from '../document/search/search-query.ts';
import { documentTerms, type TermSource } from '../document/search/search-terms.ts';
import type { Written } from '../document/search/search-text.ts';
import type { IsOver } from '../document/search/time-budget.ts';
import type { DocumentWords } from '../storage/word-index/word-index.ts';

/** A document that is to be indexed. */
export interface IndexableDocument {
  id: string;
  /** When it changed, in milliseconds since 1970. */
  updatedAt: number;
  source: TermSource;
}

/** Documents' terms, and the ids of those whose time was over before the end of their text. */
export interface Divided {
  documents: DocumentWords[];
  cut: string[];
}

/** The tasks of the threads that read texts for searches; `search-threads.ts` calls them by name. */

// Processor time, so that a busy machine does not change what is found. Ordinary texts need a tenth.

/** What the words of one document may take; then those found so far are indexed. */
const DOCUMENT_BUDGET_MS = 2_000;

/** What one excerpt, and all of a search, may take; then they are the beginnings of texts. */
const EXCERPT_BUDGET_MS = 100;
const EXCERPTS_BUDGET_MS = 500;

export function divide(documents: readonly IndexableDocument[]): Divided {
  const cut: string[] = [];
  const divided = documents.map(({ id, updatedAt, source }) => {
    const isOver = timeBudget(DOCUMENT_BUDGET_MS);
    const words = documentTerms(source, isOver);
    if (isOver()) cut.push(id);
    return { id, updatedAt, words };
  });
  return { documents: divided, cut };
}

/** Returns one excerpt for each text. */
export function excerpts({
  query,
  texts,
}: {
  query: SearchQuery;
  texts: readonly Written[];
}): Excerpt[] {
  const isAllOver = timeBudget(EXCERPTS_BUDGET_MS);
  return texts.map((text) => {
    const isOneOver = timeBudget(EXCERPT_BUDGET_MS);
    return excerptOf(text, query, () => isOneOver() || isAllOver());
  });
}

/** @param ms of this thread's processor time, from now on */
function timeBudget(ms: number): IsOver {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const end = used() + ms;
  return () => used() > end;
}
