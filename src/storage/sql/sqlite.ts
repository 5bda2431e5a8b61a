import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTick } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { ConfigError } from '../../base/config-error.ts';
import { DiskFull } from '../../base/errors.ts';
import { isDamage, toDiskError } from '../disk-failure.ts';
import { oncePerSecond } from '../once-per-second.ts';
import { withStartLock } from '../start-lock.ts';
import { openSqliteWordIndex } from '../word-index/sqlite-word-index.ts';
import { migrate, requireMigrated } from './migrate.ts';
import type { Reader, Sql, Writer } from './sql.ts';
import { readersDialect, sqliteDialect } from './sqlite-dialect.ts';
import { databasePath, numberIn, openSqliteFile } from './sqlite-file.ts';
import { openSqliteLog, type SqliteLog } from './sqlite-log.ts';
import type { Tables } from './tables.ts';
import { type Begin, inTransaction } from './transaction.ts';

/** The most transactions before requests that have arrived, and other processes, get their turn. */
const IN_A_ROW = 16;

/**
 * Runs transactions one after another. Each sees the writes of those before it, and ends once these
 * and its own are on disk: also an error may be due to what another one wrote.
 */
export function oneByOne(
  begin: Begin,
  log: SqliteLog,
): <T>(work: (tx: Writer) => Promise<T>) => Promise<T> {
  const queue: (() => Promise<void>)[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (queue.length > 0) {
      for (const run of queue.splice(0, IN_A_ROW)) await run();
      if (queue.length > 0) await nextTick();
    }
    isDraining = false;
  }

  async function run<T>(work: (tx: Writer) => Promise<T>): Promise<T> {
    log.repair();
    const result = await inTransaction(begin, work);
    log.committed();
    return result;
  }

  return async <T>(work: (tx: Writer) => Promise<T>) => {
    const turn = new Promise<T>((resolve, reject) => {
      queue.push(() => run(work).then(resolve, reject));
    });
    if (!isDraining) void drain();
    try {
      return await turn;
    } finally {
      await log.synced();
    }
  };
}

/**
 * Opens the embedded database in `dataDir`, creates what is missing and runs missing migrations. If
 * the disk is too full for that, it can only be read.
 *
 * @throws ConfigError if the database is damaged, newer than this code, or can't be upgraded because
 *   the disk is full
 */
export function openSqlite(dataDir: string): Promise<Sql> {
  return withStartLock(dataDir, () => open(dataDir));
}

export async function open(dataDir: string): Promise<Sql> {
  try {
    return await openFile(dataDir).catch((error) => {
      if (toDiskError(error) instanceof DiskFull) return openWithoutRoom(dataDir);
      throw error;
    });
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
    snapshot: (work) => inSnapshot(openSqliteFile(path, { readOnly: true }), work),
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

async function openWithoutRoom(dataDir: string): Promise<Sql> {
  const path = databasePath(dataDir);
  const open = () => openSqliteFile(path, { readOnly: true, noRoom: true });
  const reading = open();
  const read = new Kysely<Tables>({ dialect: sqliteDialect(reading) });
  const refuse = async () => {
    throw new DiskFull('The disk is full, so nothing can be saved.');
  };
  try {
    await requireMigrated(read);
  } catch (error) {
    await read.destroy();
    throw error;
  }
  const words = openSqliteWordIndex(dataDir, reading, { isReadOnly: true });
  return {
    read,
    isReadOnly: true,
    transaction: refuse,
    snapshot: (work) => inSnapshot(open(), work),
    words,
    ping: refuse,
    async close() {
      await words.close();
      await read.destroy();
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

/** Uses a handle of its own and closes it, so that other reads neither join its transaction nor wait for it. */
async function inSnapshot<T>(
  handle: DatabaseSync,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(handle) });
  try {
    return await db.transaction().setAccessMode('read only').execute(work);
  } finally {
    await db.destroy();
  }
}
