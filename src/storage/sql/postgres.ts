import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresAdapter, PostgresDialect, type PostgresDialectConfig, sql } from 'kysely';
import pg from 'pg';
import { BackEndUnavailable } from '../../errors.ts';
import { migrate } from './migrate.ts';
import { pipelining, type RunQuery } from './postgres-pipeline.ts';
import { type DirectAdapter, statementName } from './prepared.ts';
import type { PostgresLocation, Reader, Sql, Writer } from './sql.ts';
import type { Tables } from './tables.ts';

/** How long a request waits for a connection, and for one statement. */
const CONNECT_WITHIN_MS = 5_000;
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

/** How often a transaction is tried that loses against others, or whose connection breaks. */
const ATTEMPTS = 5;

/** After this long a broken connection ends it: whoever waits has waited for a time-out already. */
const TRY_AGAIN_WITHIN_MS = 5_000;
const BACK_OFF_MS = 20;

/**
 * Opens a PostgreSQL database and brings its schema up to date.
 *
 * @throws Error in one line that begins with `DATABASE_URL:` when the database refuses us or does
 *   not answer within half a minute; when it is newer than this code
 */
export async function openPostgres(location: PostgresLocation): Promise<Sql> {
  await migrateOnceItAnswers(location);
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
  return {
    read: db,
    transaction: (work) => inTransaction(db, work),
    snapshot: (work) => inSnapshot(db, work),
    // Every query sees it.
    requestArrived() {},
    async ping() {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}

async function migrateOnceItAnswers(location: PostgresLocation): Promise<void> {
  // Filling a new table may take longer than any request should.
  const db = new Kysely<Tables>({ dialect: dialectOver(openPool(location, { max: 1 }), location) });
  const giveUpAt = Date.now() + START_WITHIN_MS;
  try {
    for (;;) {
      try {
        await migrate(db);
        return;
      } catch (error) {
        if (!(error instanceof BackEndUnavailable)) throw toStartError(error);
        if (Date.now() > giveUpAt) {
          throw new Error(`DATABASE_URL: the database does not answer (${error.message}).`);
        }
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

function openPool(location: PostgresLocation, config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: location.connectionString,
    application_name: 'briefs',
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    types: { getTypeParser },
    Client: location.pooler ? Client : PreparingClient,
    pipeline: !location.pooler,
    ...config,
  } as pg.PoolConfig);
  // A connection that breaks while nobody uses it leaves the pool; the next use opens another.
  pool.on('error', () => {});
  // One that breaks between two statements fails the next.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Counts and sums come as 64-bit integers, which the driver would give as text. */
const getTypeParser: typeof pg.types.getTypeParser = (id, format) =>
  (id as number) === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format);

/** A connection whose failures say whether it is the back end that is away. */
class Client extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has a dozen overloads
  override query(...args: any[]): any {
    // @ts-expect-error: passed on as it came
    const result = super.query(...args);
    return result instanceof Promise ? result.catch((error) => this.#fail(error)) : result;
  }

  #fail(error: Error): never {
    // The answer may still come, and must not be taken for the next statement's.
    const isLate = error.message === 'Query read timeout';
    if (isLate || isReadOnly(error)) this.connection.stream.destroy();
    throw toUnavailable(error);
  }
}

/** Keeps the statements of prepared queries in the session. */
class PreparingClient extends Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has a dozen overloads
  override query(...args: any[]): any {
    const [text, values, ...callback] = args;
    const name = typeof text === 'string' ? statementName(text) : undefined;
    return name ? super.query({ name, text, values }, ...callback) : super.query(...args);
  }
}

function dialectOver(pool: pg.Pool, { pooler }: PostgresLocation): PostgresDialect {
  const connect = () => pool.connect().catch(throwUnavailable);
  const config = { pool: { connect, end: () => pool.end(), options: pool.options } as never };
  return new Dialect(config, {
    alone: async (text, values) => (await pool.query(text, values as unknown[])).rows,
    // What a pooler does with it depends on its version.
    ...(!pooler && { together: pipelining(pool) }),
  });
}

/** The ways to run a query that belongs to no transaction. */
interface Ways {
  /** On any connection of the pool, which leaves the pool when the query fails. */
  alone: RunQuery;
  /** With others that are asked at the same time. */
  together?: RunQuery;
}

class Dialect extends PostgresDialect {
  readonly #ways: Ways;

  constructor(config: PostgresDialectConfig, ways: Ways) {
    super(config);
    this.#ways = ways;
  }

  override createAdapter(): PostgresAdapter {
    return new Adapter(this.#ways);
  }
}

class Adapter extends PostgresAdapter implements DirectAdapter {
  readonly isOneConnection = false;
  readonly #ways: Ways;

  constructor(ways: Ways) {
    super();
    this.#ways = ways;
  }

  /** Whoever migrates holds a lock already, one that ends with the transaction. */
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}

  execute(text: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    return this.#ways.alone(text, parameters).catch(throwUnavailable);
  }

  /** Another process may have committed, and to ask takes as long as the query, which is a quick one. */
  recall(_: number, text: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    const { alone, together = alone } = this.#ways;
    return together(text, parameters).catch(throwUnavailable);
  }
}

async function inSnapshot<T>(db: Kysely<Tables>, work: (reader: Reader) => Promise<T>): Promise<T> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (tx) => {
    // Whoever reads everything may have much to do between two reads.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    return work(tx);
  });
}

/**
 * Runs a transaction, and again where the database undid it for the sake of others, or where the
 * connection broke before it was to be committed. Work must therefore change nothing but rows.
 * When the connection breaks at the commit itself, nobody knows what came of it: no second try.
 */
async function inTransaction<T>(
  db: Kysely<Tables>,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const begunAt = Date.now();
  for (let attempt = 1; ; attempt++) {
    let committing = false;
    try {
      return await db.transaction().execute(async (tx) => {
        const result = await work(tx);
        committing = true;
        return result;
      });
    } catch (error) {
      const soon = Date.now() - begunAt < TRY_AGAIN_WITHIN_MS;
      const broken = error instanceof BackEndUnavailable && !committing && soon;
      if (attempt === ATTEMPTS || !(broken || isUndone(error))) throw error;
    }
    await sleep(Math.random() * BACK_OFF_MS * 2 ** attempt);
  }
}

/**
 * Serialization failure, deadlock; a foreign key or a unique index that did not hold (PostgreSQL
 * documentation, appendix A): what the transaction had looked at went, or came, meanwhile, which it
 * sees when it looks again.
 */
const UNDONE = ['40001', '40P01', '23503', '23505'];

function isUndone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && UNDONE.includes(error.code ?? '');
}

/**
 * Classes of SQLSTATE that speak of the server, not of the statement: connection exception,
 * insufficient resources, operator intervention (shutdown, cancelled after its time), system error;
 * a transaction that was left idle; a server that has become one to read from; a statement that could
 * not be prepared for the query before.
 */
const SERVER_STATES = /^(08|53|57|58)|^(25P03|25006|26000)$/;

/** Whether the connection leads to a server that no longer takes writes, as after a failover. */
function isReadOnly(error: Error & { code?: string }): boolean {
  return error.code === '25006';
}

/** What the driver itself says of a connection; the system's errors have codes. */
const CONNECTION_LOST = /terminated|time-?out|not queryable|connection/i;

function throwUnavailable(error: Error): never {
  throw toUnavailable(error);
}

function toUnavailable(error: Error & { code?: string }): Error {
  const away =
    error instanceof pg.DatabaseError
      ? SERVER_STATES.test(error.code ?? '')
      : error.code !== undefined || CONNECTION_LOST.test(error.message);
  return away ? new BackEndUnavailable(error.message || error.code, { cause: error }) : error;
}
