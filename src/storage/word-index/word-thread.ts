import { type Excerpt, excerptOf } from '../../document/search/excerpt.ts';
import type { SearchQuery } from '../../document/search/search-query.ts';
import { documentTerms } from '../../document/search/search-terms.ts';
import type { Written } from '../../document/search/search-text.ts';
import type { IsOver } from '../../document/search/time-budget.ts';
import { BackEndUnavailable } from '../../errors.ts';
import { fromDisk } from '../disk-failure.ts';
import { isDamage, SqliteWordFile } from './sqlite-word-file.ts';
import type { DocumentWords, IndexableDocument, WordQuery } from './word-index.ts';

/** The entry of the threads that read texts and keep the index; `word-threads.ts` calls these by name. */

// Processor time, so that a busy machine does not change what is found. Ordinary texts need a tenth.

/** What the words of one document may take; then those found so far are indexed. */
const DOCUMENT_BUDGET_MS = 2_000;

/** What one excerpt, and all of a search, may take; then they are the beginnings of texts. */
const EXCERPT_BUDGET_MS = 100;
const EXCERPTS_BUDGET_MS = 500;

/** What came of a task. What is special about an error would not get to the other side. */
export type Outcome<Result> = { result: Result } | { unavailable: string; isDamaged: boolean };

/** Where the index of SQLite is, and which file it is. */
export interface WordFilePlace {
  path: string;
  file: number;
}

/** Documents' words, and the ids of those whose time was over before the end of their text. */
export interface Divided {
  documents: DocumentWords[];
  cut: string[];
}

export function divide(documents: readonly IndexableDocument[]): { result: Divided } {
  const cut: string[] = [];
  const divided = documents.map(({ id, updatedAt, source }) => {
    const isOver = timeBudget(DOCUMENT_BUDGET_MS);
    const words = documentTerms(source, isOver);
    if (isOver()) cut.push(id);
    return { id, updatedAt, words };
  });
  return { result: { documents: divided, cut } };
}

/** Returns one excerpt for each text. */
export function excerpts({ query, texts }: { query: SearchQuery; texts: readonly Written[] }): {
  result: Excerpt[];
} {
  const isAllOver = timeBudget(EXCERPTS_BUDGET_MS);
  const result = texts.map((text) => {
    const isOneOver = timeBudget(EXCERPT_BUDGET_MS);
    return excerptOf(text, query, () => isOneOver() || isAllOver());
  });
  return { result };
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

// The rest is for those who also keep the index of SQLite.

export function change(
  task: WordFilePlace & {
    documents: readonly IndexableDocument[];
    forgotten: readonly string[];
  },
): Outcome<string[]> {
  const { documents, cut } = divide(task.documents).result;
  return inFile(task, (words) => {
    words.change(documents, task.forgotten);
    return cut;
  });
}

export function find(task: WordFilePlace & { query: WordQuery; limit: number }): Outcome<string[]> {
  return inFile(task, (words) => words.find(task.query, task.limit));
}

export function clear(task: WordFilePlace): Outcome<void> {
  return inFile(task, (words) => words.clear());
}

let opened: SqliteWordFile | undefined;

function inFile<Result>(
  { path, file }: WordFilePlace,
  work: (words: SqliteWordFile) => Result,
): Outcome<Result> {
  try {
    // What was written into one that has been replaced would be lost.
    if (opened && !opened.is(path, file)) {
      opened.close();
      opened = undefined;
    }
    opened ??= new SqliteWordFile(path, file);
    return { result: work(opened) };
  } catch (cause) {
    const isDamaged = isDamage(cause);
    const error = fromDisk(cause);
    if (!isDamaged && !(error instanceof BackEndUnavailable)) throw error;
    return { unavailable: (error as Error).message, isDamaged };
  }
}
