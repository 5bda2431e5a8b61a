import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { ConfigError } from '../../base/config-error.ts';
import { BackEndUnavailable } from '../../base/errors.ts';
import { oncePerSecond } from '../once-per-second.ts';
import { postgresWordIndex, rebuildOutdated } from '../word-index/postgres-word-index.ts';
import { capabilitiesOf } from './dialect.ts';
import { checkLedger, migrate } from './migrate.ts';
import { openPool } from './postgres-client.ts';
import { begin, dialectOver } from './postgres-dialect.ts';
import { postgresTransactions } from './postgres-transactions.ts';
import type { PostgresLocation, Reader, Sql, Writer } from './sql.ts';
import type { Tables } from './tables.ts';

/** The server cancels a statement after this. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** Longer than the server's timeout: for a server or network that no longer responds. */
const SILENCE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

/**
 * Settings for each session:
 *
 * - A prepared statement is planned once. PostgreSQL would plan many of them on each execution,
 * which takes several times as long as running them.
 * - No JIT: compiling takes half a second if statistics are missing.
 * - At least 32 MB of `work_mem`, so that a bitmap of index matches has room for each row. With
 * whole pages, searches missed rows (decision 005).
 */
const SESSION = `
  select set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
    case when pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('32MB')
      then set_config('work_mem', '32MB', false)
    end`;

/** How long a start waits for the database to answer. */
const START_WITHIN_MS = 30_000;
const START_RETRY_MS = 500;

/**
 * Opens a PostgreSQL database, runs missing migrations, and queues all documents for an outdated
 * search index.
 *
 * @param onWaiting called once if the database does not answer at once
 * @throws Error with one line that begins with `DATABASE_URL:` if the database refuses the
 *   connection or does not answer within 30 seconds; if it is newer than this code
 */
export async function openPostgres(
  location: PostgresLocation,
  onWaiting: (message: string) => void = () => {},
): Promise<Sql> {
  await onceItAnswers(
    location,
    async (db) => {
      await migrate(db);
      await db.transaction().execute(async (tx) => {
        await capabilitiesOf(tx).lockMigrations(tx);
        await rebuildOutdated(tx);
      });
    },
    onWaiting,
  );
  const pool = openPool(location, {
    max: location.poolSize,
    query_timeout: SILENCE_TIMEOUT_MS,
    ...(!location.pooler && {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      // Not as startup options: some proxies refuse them, and they would replace those of
      // DATABASE_URL.
      onConnect: (client) => client.query(SESSION) as never,
    }),
  });
  const db = new Kysely<Tables>({ dialect: dialectOver(pool, location) });
  try {
    await sql`select 1`.execute(db);
  } catch (error) {
    await db.destroy();
    throw toStartError(error);
  }
  const transaction = postgresTransactions(() => begin(pool));
  return {
    read: db,
    transaction,
    snapshot: (work) => inSnapshot(db, work),
    words: postgresWordIndex({ read: db, transaction }),
    ping: oncePerSecond(async () => {
      // Forces a write to the log, which a standby refuses.
      await sql`select pg_current_xact_id()`.execute(db);
    }),
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => db.destroy(),
  };
}

/**
 * Replaces our tables and their rows, in one transaction: drops them, then runs `work` to create them
 * again. Other tables stay. If this rejects, nothing has changed.
 *
 * @param tables the names of our tables
 * @param options.mustBeEmpty refuses a database with rows
 * @param work may run again from the start
 * @throws Error as {@link openPostgres} does, and if there are rows but must not be
 */
export async function rebuildPostgres(
  location: PostgresLocation,
  tables: readonly string[],
  { mustBeEmpty }: { mustBeEmpty: boolean },
  work: (tx: Writer) => Promise<void>,
): Promise<void> {
  await onceItAnswers(location, (db) =>
    db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      await capabilitiesOf(tx).lockMigrations(tx);
      await checkLedger(tx);
      if (mustBeEmpty && (await hasRows(tx, tables))) {
        throw new Error('The database already has data. Use --force to replace it.');
      }
      const ours = [...tables, 'kysely_migration', 'kysely_migration_lock'];
      await sql`drop table if exists ${sql.join(ours.map((name) => sql.table(name)))} cascade`.execute(
        tx,
      );
      await work(tx);
    }),
  );
}

/**
 * Tells whether any of these tables exists and has a row.
 *
 * @throws Error as {@link openPostgres} does
 */
export function postgresHasRows(
  location: PostgresLocation,
  tables: readonly string[],
): Promise<boolean> {
  return onceItAnswers(location, (db) => hasRows(db, tables));
}

async function hasRows(db: Reader, tables: readonly string[]): Promise<boolean> {
  const { rows: existing } = await sql<{ name: string }>`
    select name from unnest(cast(${tables} as text[])) as name
    where to_regclass(name) is not null`.execute(db);
  if (existing.length === 0) return false;
  const filled = existing.map(({ name }) => sql`exists (select 1 from ${sql.table(name)})`);
  const { rows } = await sql<{ filled: boolean }>`
    select ${sql.join(filled, sql` or `)} as filled`.execute(db);
  return rows[0]?.filled === true;
}

/** Runs `work` on one connection, again while the database doesn't answer. */
async function onceItAnswers<T>(
  location: PostgresLocation,
  work: (db: Kysely<Tables>) => Promise<T>,
  onWaiting: (message: string) => void = () => {},
): Promise<T> {
  // No timeouts: a migration can take longer than a request.
  const db = new Kysely<Tables>({ dialect: dialectOver(openPool(location, { max: 1 }), location) });
  const beganAt = Date.now();
  const giveUpAt = beganAt + START_WITHIN_MS;
  let hasTold = false;
  try {
    for (;;) {
      try {
        return await work(db);
      } catch (error) {
        if (!(error instanceof BackEndUnavailable)) throw toStartError(error);
        if (Date.now() > giveUpAt) {
          throw new Error(`DATABASE_URL: the database does not answer (${error.message}).`);
        }
      }
      if (!hasTold && Date.now() - beganAt >= START_RETRY_MS) {
        hasTold = true;
        onWaiting(
          `waiting up to ${START_WITHIN_MS / 1000} seconds for the database of DATABASE_URL to answer`,
        );
      }
      await sleep(START_RETRY_MS);
    }
  } finally {
    await db.destroy();
  }
}

/**
 * Converts an error about the address, user, password or database into one line for the operator.
 */
function toStartError(error: unknown): unknown {
  if (error instanceof BackEndUnavailable) {
    const hint = /startup parameter/.test(error.message)
      ? '; behind PgBouncer, add ?pooler=transaction'
      : '';
    return new Error(`DATABASE_URL: ${error.message}${hint}.`);
  }
  const refused = error instanceof pg.DatabaseError && /^(28|3D|42501)/.test(error.code ?? '');
  return refused ? new ConfigError(`DATABASE_URL: ${error.message}.`) : error;
}

async function inSnapshot<T>(db: Kysely<Tables>, work: (reader: Reader) => Promise<T>): Promise<T> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (tx) => {
    // Copying to another database may pause long between two reads.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    return work(tx);
  });
}
