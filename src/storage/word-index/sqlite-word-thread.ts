import { BackEndUnavailable } from '../../errors.ts';
import { fromDisk } from '../disk-failure.ts';
import { SqliteWordFile } from './sqlite-word-file.ts';
import type { DocumentWords, WordQuery } from './word-index.ts';

/** The entry of the threads that search and write the index; `sqlite-word-index.ts` calls these by name. */

/** What came of a task. What is special about an error would not get to the other side. */
export type Outcome<Result> = { result: Result } | { unavailable: string };

let file: SqliteWordFile | undefined;

export function change(task: {
  path: string;
  documents: readonly DocumentWords[];
  forgotten: readonly string[];
}): Outcome<void> {
  return inFile(task.path, (words) => words.change(task.documents, task.forgotten));
}

export function find(task: { path: string; query: WordQuery; limit: number }): Outcome<string[]> {
  return inFile(task.path, (words) => words.find(task.query, task.limit));
}

export function clear(task: { path: string }): Outcome<void> {
  return inFile(task.path, (words) => words.clear());
}

/** A pool's threads have one path between them. */
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
