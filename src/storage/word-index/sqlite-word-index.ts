import type { DatabaseSync } from 'node:sqlite';
import { isWordFile, makeWordFile, removeWordFile, wordFilePath } from './sqlite-word-file.ts';
import type { WordIndex } from './word-index.ts';
import type { WordThreads } from './word-threads.ts';

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
  threads: WordThreads,
): WordIndex {
  const path = wordFilePath(dataDir);
  if (!isWordFile(path, fileOf(database))) begin(dataDir, database);
  return {
    change: (documents, forgotten) => threads.run('change', { path, documents, forgotten }),
    find: (query, limit) => threads.run('find', { path, query, limit }),
    clear: () => threads.run('clear', { path }),
  };
}

/** The file that belongs to a database, as the database knows it. */
function fileOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
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
