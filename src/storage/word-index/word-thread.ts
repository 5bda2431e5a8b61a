import { documentTerms } from '../../document/search-terms.ts';
import { BackEndUnavailable } from '../../errors.ts';
import { fromDisk } from '../disk-failure.ts';
import { SqliteWordFile } from './sqlite-word-file.ts';
import type { DocumentWords, IndexableDocument, WordQuery } from './word-index.ts';

/** The entry of the threads that divide texts into words; `word-threads.ts` calls these by name. */

/** What came of a task. What is special about an error would not get to the other side. */
export type Outcome<Result> = { result: Result } | { unavailable: string };

export function divide(documents: readonly IndexableDocument[]): Outcome<DocumentWords[]> {
  return { result: documents.map(toWords) };
}

// The rest is for those who also keep the index of SQLite. A pool's threads have one file between them.

let file: SqliteWordFile | undefined;

export function change(task: {
  path: string;
  documents: readonly IndexableDocument[];
  forgotten: readonly string[];
}): Outcome<void> {
  const documents = task.documents.map(toWords);
  return inFile(task.path, (words) => words.change(documents, task.forgotten));
}

export function find(task: { path: string; query: WordQuery; limit: number }): Outcome<string[]> {
  return inFile(task.path, (words) => words.find(task.query, task.limit));
}

export function clear(task: { path: string }): Outcome<void> {
  return inFile(task.path, (words) => words.clear());
}

function toWords({ id, updatedAt, source }: IndexableDocument): DocumentWords {
  return { id, updatedAt, words: documentTerms(source) };
}

function inFile<Result>(path: string, work: (words: SqliteWordFile) => Result): Outcome<Result> {
  try {
    file ??= new SqliteWordFile(path);
    return { result: work(file) };
  } catch (cause) {
    const error = fromDisk(cause);
    if (error instanceof BackEndUnavailable) return { unavailable: error.message };
    throw error;
  }
}
