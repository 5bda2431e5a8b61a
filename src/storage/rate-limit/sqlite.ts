import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type RateLimiterRes, RateLimiterSQLite } from 'rate-limiter-flexible';
import type { Config, RateLimitName } from '../../config.ts';
import type { RateLimiter } from '../../rate-limit.ts';
import { alone } from '../alone.ts';
import { toKyselyDatabase } from '../sql/sqlite.ts';

const TABLE = 'rate_limit';
const CLEAR_EVERY_MS = 5 * 60_000;

/**
 * Counts in a file below `dataDir` that all processes of this machine share. The counts are worth
 * nothing after a power cut, so nothing waits for the disk.
 */
export async function openSqliteRateLimiter(
  dataDir: string,
  limits: Config['rateLimits'],
): Promise<RateLimiter> {
  const database = await alone(dataDir, async () => openDatabase(dataDir));
  const client = toLimiterClient(database);
  const limiters = new Map<RateLimitName, RateLimiterSQLite>();
  for (const [name, limit] of Object.entries(limits)) {
    if (!limit) continue;
    const limiter = new RateLimiterSQLite({
      storeClient: client,
      storeType: 'better-sqlite3',
      tableName: TABLE,
      tableCreated: true,
      keyPrefix: name,
      points: limit.count,
      duration: limit.windowMs / 1000,
    });
    limiters.set(name as RateLimitName, limiter);
  }
  const clearExpired = database.prepare(`delete from ${TABLE} where expire < ?`);
  const sweep = setInterval(() => clearExpired.run(Date.now()), CLEAR_EVERY_MS).unref();
  return {
    async consume(name, key) {
      const limiter = limiters.get(name);
      if (!limiter) return undefined;
      const { allowed, result } = await settle(limiter.consume(key));
      return {
        allowed,
        limit: limiter.points,
        remaining: result.remainingPoints,
        resetsAt: Date.now() + result.msBeforeNext,
      };
    },
    async close() {
      clearInterval(sweep);
      database.close();
    },
  };
}

function openDatabase(dataDir: string): DatabaseSync {
  const database = new DatabaseSync(join(dataDir, 'rate-limits.db'), { timeout: 5_000 });
  database.exec('pragma journal_mode = wal; pragma synchronous = off');
  database.exec(
    `create table if not exists ${TABLE} (key text primary key, points integer, expire integer)`,
  );
  return database;
}

/** The library rejects with the count where it is used up, and with an Error where it failed. */
async function settle(
  consumed: Promise<RateLimiterRes>,
): Promise<{ allowed: boolean; result: RateLimiterRes }> {
  try {
    return { allowed: true, result: await consumed };
  } catch (reason) {
    if (reason instanceof Error) throw reason;
    return { allowed: false, result: reason as RateLimiterRes };
  }
}

/**
 * The part of better-sqlite3's interface that the library uses. Its one statement per count is
 * atomic by itself, so `transaction` adds nothing.
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
