import type { DatabaseSync } from 'node:sqlite';
import type { Piscina } from 'piscina';
import { BackEndUnavailable } from '../../errors.ts';
import { isWordFile, makeWordFile, removeWordFile, wordFilePath } from './sqlite-word-file.ts';
import type { Outcome } from './sqlite-word-thread.ts';
import type { WordIndex } from './word-index.ts';

/** One writes, and one searches meanwhile. */
const THREADS = 2;

/** After which a thread is let go. */
const IDLE_MS = 30_000;

/**
 * The index for searches, in a file beside the embedded database and on threads of its own, so that nobody
 * else waits while it is written or asked. Threads start with the first task, and go when idle.
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
  if (!isWordFile(path, fileOf(database))) begin(dataDir, database);
  let pool: Promise<Piscina> | undefined;

  async function start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    return new Piscina({
      filename: new URL('./sqlite-word-thread.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: THREADS,
      idleTimeout: IDLE_MS,
      // A thread that waits asleep, as 'sync' has it, would hold back its own garbage collection.
      atomics: 'disabled',
      recordTiming: false,
      // A thread needs nothing from the environment, where the secrets are.
      env: {},
    });
  }

  async function run<Result>(name: string, task: object): Promise<Result> {
    pool ??= start();
    const outcome: Outcome<Result> = await (await pool).run({ path, ...task }, { name });
    if ('unavailable' in outcome) throw new BackEndUnavailable(outcome.unavailable);
    return outcome.result;
  }

  return {
    change: (documents, forgotten) => run('change', { documents, forgotten }),
    find: (query, limit) => run('find', { query, limit }),
    clear: () => run('clear', {}),
    async close() {
      await (await pool)?.destroy();
    },
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
