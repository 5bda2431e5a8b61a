import type { DatabaseSync } from 'node:sqlite';
import { BackEndUnavailable } from '../../base/errors.ts';
import { createTaskThreads } from '../../base/threads/task-threads.ts';
import { numberIn } from '../sql/sqlite-file.ts';
import { createWordFile, isWordFile, removeWordFile, wordFilePath } from './sqlite-word-file.ts';
import type { WordIndex } from './word-index.ts';
import type * as entry from './word-thread.ts';

/** Two for the indexer (`features/search/indexer.ts`) and two for searches. */
const THREADS = 4;

const WITHIN_MS = { change: 15_000, find: 15_000, pageTexts: 15_000, clear: 60_000 };

/**
 * Opens the search index: a file beside the embedded database, on its own threads so that no other
 * work waits for it. If the file is missing, damaged, in another format or belongs to another
 * database, creates it and queues all documents.
 *
 * The caller must hold the start lock.
 *
 * @param database has the current schema
 * @param isReadOnly leaves the file as it is, because the disk is full
 */
export function openSqliteWordIndex(
  dataDir: string,
  database: DatabaseSync,
  { isReadOnly = false } = {},
): WordIndex & { close(): Promise<void> } {
  const path = wordFilePath(dataDir);
  // The database stores the id of its index.
  const place = () => ({ path, file: numberIn(database, 'user_version') });
  if (!isReadOnly && !isWordFile(path, place().file)) createIndex(dataDir, database);

  const module = new URL('./word-thread.js', import.meta.url);
  const threads = createTaskThreads<typeof entry>(module, {
    threads: THREADS,
    withinMs: WITHIN_MS,
  });

  function toResult<Result>(outcome: entry.Outcome<Result>): Result {
    if ('result' in outcome) return outcome.result;
    // Makes the next start rebuild the index.
    if (outcome.isDamaged && !isReadOnly) database.exec('pragma user_version = 0');
    throw new BackEndUnavailable(`search.db: ${outcome.unavailable}`);
  }

  return {
    async change(documents, forgotten) {
      toResult(await threads.run('change', { ...place(), documents, forgotten }));
    },
    async find(query, limit) {
      return toResult(await threads.run('find', { ...place(), query, limit }));
    },
    async pageTexts(wanted, limits) {
      if (wanted.length === 0) return new Map();
      return toResult(await threads.run('pageTexts', { ...place(), wanted, limits }));
    },
    async clear() {
      toResult(await threads.run('clear', place()));
    },
    close: () => threads.close(),
  };
}

/**
 * Creates the index. If interrupted, the next start does it again, because the id is stored last.
 */
function createIndex(dataDir: string, database: DatabaseSync): void {
  removeWordFile(dataDir);
  const file = createWordFile(wordFilePath(dataDir));
  database.exec(`
    begin immediate;
    insert or ignore into search_pending ("documentId", stamp, "claimedUntil")
      select id, '', '' from document;
    pragma user_version = ${file};
    commit`);
}
