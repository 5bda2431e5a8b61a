import { type Excerpt, excerptOf, type Marked } from '../../base/search/excerpt.ts';
import type { SearchQuery } from '../../base/search/search-query.ts';
import { documentTerms, type TermSource } from '../../base/search/search-terms.ts';
import { type Excerptible, plainText, type Written } from '../../base/search/search-text.ts';
import type { IsOver } from '../../base/search/time-budget.ts';
import { hasPhrases } from '../../base/search/word-match.ts';
import type { DocumentWords } from './word-index.ts';

export interface IndexableDocument {
  id: string;
  /** When it changed, in milliseconds since 1970. */
  updatedAt: number;
  /** Where a page's HTML is stored; `null` for briefs. */
  storagePath: string | null;
  source: TermSource & { written: Written };
}

/**
 * The words of documents, and the ids of those that ran out of time before the end of their text.
 */
export interface Divided {
  documents: DocumentWords[];
  cut: string[];
}

// The tasks of the search threads. `search-threads.ts` calls them by name.

// Budgets are processor time, so the result doesn't depend on how busy the machine is. Ordinary
// texts need a tenth of them.

/**
 * The budget for the words of one document. When it is used up, the words found so far are indexed.
 */
const DOCUMENT_BUDGET_MS = 2_000;

/**
 * The budgets for one excerpt, and for all excerpts of a search. When one is used up, excerpts show
 * the start of the text.
 */
const EXCERPT_BUDGET_MS = 100;
const EXCERPTS_BUDGET_MS = 500;

/** The budget for looking for phrases in texts. When it is used up, further texts have none. */
const PHRASES_BUDGET_MS = 1_000;

export function divide(documents: readonly IndexableDocument[]): Divided {
  const cut: string[] = [];
  const divided = documents.map(({ id, updatedAt, storagePath, source }) => {
    const isOver = timeBudget(DOCUMENT_BUDGET_MS);
    const text = plainText(source.written, isOver);
    const words = documentTerms(source, text, isOver);
    if (isOver()) cut.push(id);
    const pageText = storagePath === null ? null : { source: storagePath, text };
    return { id, updatedAt, words, pageText };
  });
  return { documents: divided, cut };
}

export function excerpts({
  query,
  texts,
}: {
  query: Marked;
  texts: readonly Excerptible[];
}): Excerpt[] {
  const isAllOver = timeBudget(EXCERPTS_BUDGET_MS);
  return texts.map((text) => {
    const isOneOver = timeBudget(EXCERPT_BUDGET_MS);
    return excerptOf(text, query, () => isOneOver() || isAllOver());
  });
}

/** A document in which to look for phrases. */
export interface PhraseTexts {
  /** Its name and its title, which no phrase spans. */
  names: readonly string[];
  text: Excerptible;
}

export function phrases({
  query,
  documents,
}: {
  query: SearchQuery;
  documents: readonly PhraseTexts[];
}): boolean[] {
  const isOver = timeBudget(PHRASES_BUDGET_MS);
  return documents.map(
    ({ names, text }) =>
      !isOver() && hasPhrases(query, [...names, plainText(text, isOver)], isOver),
  );
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
