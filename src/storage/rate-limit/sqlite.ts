import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RateLimiterMemory, RateLimiterSQLite } from 'rate-limiter-flexible';
import { DiskFull } from '../../base/errors.ts';
import type { Limits, RateLimiter } from '../../base/limits/rate-limit.ts';
import { isDamage, toDiskError } from '../disk-failure.ts';
import { toKyselyDatabase } from '../sql/sqlite-dialect.ts';
import { withStartLock } from '../start-lock.ts';
import {
  countRequest,
  createLimiters,
  forgetRequests,
  LONGEST_WINDOW_IN_MEMORY_S,
  uncountRequest,
} from './limiters.ts';

const TABLE = 'rate_limit';
const SQLITE_CORRUPT = 11;
const CLEAR_EVERY_MS = 5 * 60_000;

/**
 * Counts requests in a file in `dataDir`, for all processes of this machine. Does not sync, because
 * the counts are not needed after a power cut.
 *
 * If the disk is full, it counts in this process.
 *
 * @param onReplaced called if the file was damaged, so that all counts begin anew
 */
export async function openSqliteRateLimiter(
  dataDir: string,
  limits: Limits,
  onReplaced: (reason: string) => void = () => {},
): Promise<RateLimiter> {
  const database = await withStartLock(dataDir, async () => openOrReplace(dataDir, onReplaced));
  const client = toLimiterClient(database);
  const limiters = createLimiters(
    limits,
    (options) =>
      new RateLimiterSQLite({
        ...options,
        storeClient: client,
        storeType: 'better-sqlite3',
        tableName: TABLE,
        tableCreated: true,
      }),
  );
  // Counts while the disk is full or the file is damaged, so that reading still works.
  const inMemory = createLimiters(limits, (options) => {
    const duration = Math.min(options.duration, LONGEST_WINDOW_IN_MEMORY_S);
    return new RateLimiterMemory({ ...options, duration });
  });
  const clearExpired = database.prepare(`delete from ${TABLE} where expire < ?`);
  const sweep = setInterval(() => {
    try {
      clearExpired.run(Date.now());
    } catch {
      // The disk failed or the file is locked. The next sweep tries again.
    }
  }, CLEAR_EVERY_MS).unref();
  const anyCount = database.prepare(`select key from ${TABLE} limit 1`);
  return {
    async consume(name, key, count) {
      try {
        return await countRequest(limiters, name, key, count);
      } catch (error) {
        if (!(error instanceof DiskFull || isDamage(error))) throw error;
        return countRequest(inMemory, name, key, count);
      }
    },
    refund: (name, key) => uncountRequest(limiters, name, key),
    reset: (name, key) => forgetRequests(limiters, name, key),
    async ping() {
      anyCount.get();
    },
    async close() {
      clearInterval(sweep);
      database.close();
    },
  };
}

/** Opens the file, a new one if it is damaged, or memory if there is no room for it. The caller must hold the start lock. */
function openOrReplace(dataDir: string, onReplaced: (reason: string) => void): DatabaseSync {
  const path = join(dataDir, 'rate-limits.db');
  try {
    return openDatabase(path);
  } catch (error) {
    if (toDiskError(error) instanceof DiskFull) return openDatabase(':memory:');
    if (!isDamage(error)) throw error;
    onReplaced((error as Error).message);
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    return openDatabase(path);
  }
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = off');
    database.exec(
      `create table if not exists ${TABLE} (key text primary key, points integer, expire integer)`,
    );
    const { quick_check: found } = database.prepare('pragma quick_check(1)').get() ?? {};
    if (found !== 'ok') throw Object.assign(new Error(`${found}`), { errcode: SQLITE_CORRUPT });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Implements the part of better-sqlite3's interface that the library uses. The library sends one
 * statement per count, so `transaction` does nothing.
 */
function toLimiterClient(database: DatabaseSync) {
  const cached = toKyselyDatabase(database);
  return {
    prepare(sql: string) {
      const statement = cached.prepare(sql);
      return {
        get: (...parameters: unknown[]) => statement.all(parameters)[0],
        run: (...parameters: unknown[]) => statement.run(parameters),
      };
    },
    transaction: (work: () => unknown) => work,
  };
}
