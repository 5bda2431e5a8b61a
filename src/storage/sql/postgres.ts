import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { BackEndUnavailable } from '../../errors.ts';
import { onceASecond } from '../once-per-second.ts';
import { postgresWordIndex } from '../word-index/postgres-word-index.ts';
import { migrate } from './migrate.ts';
import { openPool } from './postgres-client.ts';
import { begin, dialectOver } from './postgres-dialect.ts';
import { postgresTransactions } from './postgres-transactions.ts';
import type { PostgresLocation, Reader, Sql } from './sql.ts';
import type { Tables } from './tables.ts';

/** How long one statement may take. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** Beyond the server's own time-out: for a server, or a network, that says nothing any more. */
const SILENCE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

/**
 * What each session is told. A prepared statement is planned once: PostgreSQL would plan many of them
 * again for each execution, since with the values at hand it expects a little less work than planning
 * takes by its own reckoning; by the clock planning takes several times as long as the work. Nor is it
 * compiled, which takes half a second where statistics are missing yet and much is expected. And what an
 * index collects has room enough to name each row: where it names whole pages, searches were seen to miss
 * some (decision 012).
 */
const SESSION = `
  select set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
    case when pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('32MB')
      then set_config('work_mem', '32MB', false)
    end`;

/** How long a start waits for a database that does not answer yet. */
const START_WITHIN_MS = 30_000;
const START_RETRY_MS = 500;

/**
 * Opens a PostgreSQL database and brings its schema up to date.
 *
 * @throws Error in one line that begins with `DATABASE_URL:` when the database refuses us or does
 *   not answer within half a minute; when it is newer than this code
 */
export async function openPostgres(location: PostgresLocation): Promise<Sql> {
  const schemaDifference = await migrateOnceItAnswers(location);
  const pool = openPool(location, {
    max: location.poolSize,
    query_timeout: SILENCE_TIMEOUT_MS,
    ...(!location.pooler && {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      // Not at connecting, where some proxies refuse it, and where it would replace what the address says.
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
    schemaDifference,
    ping: onceASecond(async () => {
      // A transaction with an id of its own is written to the log when it ends; a standby refuses it.
      await sql`select pg_current_xact_id()`.execute(db);
    }),
    requireRoom() {},
    reserveSpace() {},
    close: () => db.destroy(),
  };
}

async function migrateOnceItAnswers(location: PostgresLocation): Promise<string | undefined> {
  // Filling a new table may take longer than any request should.
  const db = new Kysely<Tables>({ dialect: dialectOver(openPool(location, { max: 1 }), location) });
  const beganAt = Date.now();
  const giveUpAt = beganAt + START_WITHIN_MS;
  let hasTold = false;
  try {
    for (;;) {
      try {
        return await migrate(db);
      } catch (error) {
        if (!(error instanceof BackEndUnavailable)) throw toStartError(error);
        if (Date.now() > giveUpAt) {
          throw new Error(`DATABASE_URL: the database does not answer (${error.message}).`);
        }
      }
      if (!hasTold && Date.now() - beganAt >= START_RETRY_MS) {
        hasTold = true;
        console.error(
          `briefs: waiting up to ${START_WITHIN_MS / 1000} seconds for the database of DATABASE_URL to answer.`,
        );
      }
      await sleep(START_RETRY_MS);
    }
  } finally {
    await db.destroy();
  }
}

/** What the server says of an address, user, password or database that it does not take. */
function toStartError(error: unknown): unknown {
  if (error instanceof BackEndUnavailable) {
    const hint = /startup parameter/.test(error.message)
      ? '; behind PgBouncer, add ?pooler=transaction'
      : '';
    return new Error(`DATABASE_URL: ${error.message}${hint}.`);
  }
  const refused = error instanceof pg.DatabaseError && /^(28|3D|42501)/.test(error.code ?? '');
  return refused ? new Error(`DATABASE_URL: ${error.message}.`) : error;
}

async function inSnapshot<T>(db: Kysely<Tables>, work: (reader: Reader) => Promise<T>): Promise<T> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (tx) => {
    // Whoever reads everything may have much to do between two reads.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    return work(tx);
  });
}
