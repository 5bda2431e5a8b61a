import { BackEndUnavailable } from '../../errors.ts';
import { fromDisk } from '../disk-failure.ts';
import { isDamage, SqliteWordFile } from './sqlite-word-file.ts';
import type { DocumentWords, WordQuery } from './word-index.ts';

/** The tasks of the threads that keep the index of SQLite; `sqlite-word-index.ts` calls them by name. */

/** What came of a task. What is special about an error would not get to the other side. */
export type Outcome<Result> = { result: Result } | { unavailable: string; isDamaged: boolean };

/** Where the index is, and which file it is. */
export interface WordFilePlace {
  path: string;
  file: number;
}

export function change(
  task: WordFilePlace & { documents: readonly DocumentWords[]; forgotten: readonly string[] },
): Outcome<void> {
  return inFile(task, (words) => words.change(task.documents, task.forgotten));
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
