import { BackEndUnavailable } from '../../base/errors.ts';
import { isDamage, toDiskError } from '../disk-failure.ts';
import { SqliteWordFile } from './sqlite-word-file.ts';
import type { DocumentWords, ReadLimits, WantedText, WordQuery } from './word-index.ts';

/** The tasks of SQLite's search threads. `sqlite-word-index.ts` calls them by name. */

/** A task's result. An error's class and fields would be lost between threads. */
export type Outcome<Result> = { result: Result } | { unavailable: string; isDamaged: boolean };

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

export function pageTexts(
  task: WordFilePlace & { wanted: readonly WantedText[]; limits: ReadLimits },
): Outcome<Map<string, string>> {
  return inFile(task, (words) => words.pageTexts(task.wanted, task.limits));
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
    // Reopen a replaced file: writes to the old one would be lost.
    if (opened && !opened.isCurrent(path, file)) {
      opened.close();
      opened = undefined;
    }
    opened ??= new SqliteWordFile(path, file);
    return { result: work(opened) };
  } catch (cause) {
    const isDamaged = isDamage(cause);
    const error = toDiskError(cause);
    if (!isDamaged && !(error instanceof BackEndUnavailable)) throw error;
    return { unavailable: (error as Error).message, isDamaged };
  }
}
