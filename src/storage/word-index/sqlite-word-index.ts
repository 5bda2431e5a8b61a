import type { DatabaseSync } from 'node:sqlite';
import { BackEndUnavailable } from '../../errors.ts';
import { createTaskThreads } from '../../runtime/task-threads.ts';
import { numberIn } from '../sql/sqlite-file.ts';
import { isWordFile, makeWordFile, removeWordFile, wordFilePath } from './sqlite-word-file.ts';
import type { WordIndex } from './word-index.ts';
import type * as entry from './word-thread.ts';

/** Two write (`document/search/indexer.ts`), and two search. */
const THREADS = 4;

const WITHIN_MS = { change: 15_000, find: 15_000, clear: 60_000 };

/**
 * The index for searches, in a file beside the embedded database and on threads of its own, so that nobody
 * else waits while it is written or asked.
 *
 * Where there is no file that belongs to the database, one is made, and all documents wait to be indexed.
 * Nobody else may be opening the database at the same time.
 *
 * @param database has the schema of today
 */
export function openSqliteWordIndex(
  dataDir: string,
  database: DatabaseSync,
): WordIndex & { close(): Promise<void> } {
  const path = wordFilePath(dataDir);
  // Which file belongs to the database, as the database knows it.
  const place = () => ({ path, file: numberIn(database, 'user_version') });
  if (!isWordFile(path, place().file)) begin(dataDir, database);

  const module = new URL('./word-thread.js', import.meta.url);
  const threads = createTaskThreads<typeof entry>(module, {
    threads: THREADS,
    withinMs: WITHIN_MS,
  });

  function toResult<Result>(outcome: entry.Outcome<Result>): Result {
    if ('result' in outcome) return outcome.result;
    // The next start makes another.
    if (outcome.isDamaged) database.exec('pragma user_version = 0');
    throw new BackEndUnavailable(`search.db: ${outcome.unavailable}`);
  }

  return {
    async change(documents, forgotten) {
      toResult(await threads.run('change', { ...place(), documents, forgotten }));
    },
    async find(query, limit) {
      return toResult(await threads.run('find', { ...place(), query, limit }));
    },
    async clear() {
      toResult(await threads.run('clear', place()));
    },
    close: () => threads.close(),
  };
}

/** Ended at any point, it is done again: the database knows the file last. */
function begin(dataDir: string, database: DatabaseSync): void {
  removeWordFile(dataDir);
  const file = makeWordFile(wordFilePath(dataDir));
  database.exec(`
    begin immediate;
    insert or ignore into search_pending (document_id, stamp, claimed_until)
      select id, '', '' from document;
    pragma user_version = ${file};
    commit`);
}
