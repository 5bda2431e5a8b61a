import { Kysely, sql } from 'kysely';
import { ConfigError } from '../../base/config-error.ts';
import { isDamage } from '../disk-failure.ts';
import { oncePerSecond } from '../once-per-second.ts';
import { withStartLock } from '../start-lock.ts';
import { openSqliteWordIndex } from '../word-index/sqlite-word-index.ts';
import { migrate } from './migrate.ts';
import type { Reader, Sql, Writer } from './sql.ts';
import { readersDialect, sqliteDialect } from './sqlite-dialect.ts';
import { databasePath, numberIn, openSqliteFile } from './sqlite-file.ts';
import { openSqliteLog } from './sqlite-log.ts';
import { oneByOne } from './sqlite-transactions.ts';
import type { Tables } from './tables.ts';

/**
 * Opens the embedded database in `dataDir`, creates what is missing and runs missing migrations.
 *
 * @throws ConfigError if the database is damaged; Error if it is newer than this code
 */
export function openSqlite(dataDir: string): Promise<Sql> {
  return withStartLock(dataDir, () => open(dataDir));
}

export async function open(dataDir: string): Promise<Sql> {
  try {
    return await openFile(dataDir);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const what = `${databasePath(dataDir)} is damaged (${(error as Error).message})`;
    throw new ConfigError(`${what}. Restore a backup: docs/operate/backup.md.`, { cause: error });
  }
}

/** How long the database counts as damaged after a statement found that it is. */
const DAMAGED_FOR_MS = 10 * 60_000;

/** Remembers when a statement found that the database is damaged. */
function watchDamage() {
  let found: { at: number; error: unknown } | undefined;
  return {
    notice(error: unknown): void {
      if (isDamage(error)) found = { at: performance.now(), error };
    },
    /** @throws Error if one did in the last ten minutes; others may not have read the same pages */
    refuse(): void {
      if (found && performance.now() - found.at < DAMAGED_FOR_MS) {
        throw new Error('briefs.db is damaged', { cause: found.error });
      }
    },
  };
}

async function openFile(dataDir: string): Promise<Sql> {
  const path = databasePath(dataDir);
  const damage = watchDamage();
  const writing = openSqliteFile(path);
  const write = new Kysely<Tables>({ dialect: sqliteDialect(writing, damage.notice) });
  let words: ReturnType<typeof openSqliteWordIndex>;
  try {
    writing.exec('pragma foreign_keys = off');
    await migrate(write);
    writing.exec('pragma foreign_keys = on');
    words = openSqliteWordIndex(dataDir, writing);
  } catch (error) {
    await write.destroy();
    throw error;
  }
  const handles = { writing, reading: openSqliteFile(path) };
  const read = new Kysely<Tables>({ dialect: readersDialect(handles, damage.notice) });
  // Kysely closes the handle only after a query of its own, and prepared queries bypass Kysely.
  await sql`select 1`.execute(read);
  const log = openSqliteLog(writing, path);
  writing.exec('pragma synchronous = normal');
  const transaction: Sql['transaction'] = oneByOne(() => write.startTransaction().execute(), log);
  return {
    read,
    transaction,
    snapshot: (work) => inSnapshot(path, work),
    words,
    ping: oncePerSecond(async () => {
      damage.refuse();
      // Setting a header field to its current value writes and syncs one page.
      await transaction((tx) =>
        sql.raw(`pragma user_version = ${numberIn(writing, 'user_version')}`).execute(tx),
      );
    }),
    async close() {
      await words.close();
      await read.destroy();
      await write.destroy();
      log.close();
    },
  };
}

/**
 * Creates a database file in which foreign keys aren't checked, and fills it in one transaction. The
 * caller syncs it.
 *
 * @throws Error of `work`; the file then has to be removed
 */
export async function createSqliteFile(
  path: string,
  work: (tx: Writer) => Promise<void>,
): Promise<void> {
  const database = openSqliteFile(path);
  // The file is removed if this fails, so it needs neither a log nor a sync.
  database.exec(
    'pragma foreign_keys = off; pragma journal_mode = delete; pragma synchronous = off',
  );
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
  try {
    await db.transaction().execute(work);
  } finally {
    await db.destroy();
  }
}

/** Uses its own handle, so that other reads neither join its transaction nor wait for it. */
async function inSnapshot<T>(path: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const handle = openSqliteFile(path, { readOnly: true });
  const db = new Kysely<Tables>({ dialect: sqliteDialect(handle) });
  try {
    return await db.transaction().setAccessMode('read only').execute(work);
  } finally {
    await db.destroy();
  }
}
