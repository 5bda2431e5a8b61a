import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
} from 'kysely';
import pg from 'pg';
import { BackEndUnavailable } from '../../errors.ts';
import { migrate } from './migrate.ts';
import { pipelining, type RunQuery } from './postgres-pipeline.ts';
import { type Beginning, OutcomeUnknown, postgresTransactions } from './postgres-transactions.ts';
import { type DirectAdapter, statementName } from './prepared.ts';
import type { PostgresLocation, Reader, Sql } from './sql.ts';
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
    transaction: postgresTransactions(() => begin(pool)),
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
    Client: location.pooler ? QueueingClient : PreparingClient,
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

/** The types do not say that it takes who is to be told the answer. */
const Query = pg.Query as unknown as new (...args: unknown[]) => pg.Query;

/** A connection whose failures say whether it is the back end that is away. */
class Client extends pg.Client {
  #isCollecting = false;

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has a dozen overloads
  override query(...args: any[]): any {
    this.#collect();
    const result = this.send(...args);
    return result instanceof Promise ? result.catch((error) => this.#fail(error)) : result;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as the driver's query
  protected send(...args: any[]): any {
    // @ts-expect-error: passed on as it came
    return super.query(...args);
  }

  /** What is asked in one go is sent in one piece. */
  #collect(): void {
    if (this.#isCollecting) return;
    const { stream } = this.connection;
    this.#isCollecting = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCollecting = false;
      stream.uncork();
    });
  }

  #fail(error: Error): never {
    // The answer may still come, and must not be taken for the next statement's.
    const isLate = error.message === 'Query read timeout';
    if (isLate || isReadOnly(error)) this.connection.stream.destroy();
    throw toUnavailable(error);
  }
}

/** Sends a query when the one before has been answered, which the driver will not see to any more. */
class QueueingClient extends Client {
  #last: Promise<unknown> = Promise.resolve();

  // biome-ignore lint/suspicious/noExplicitAny: as the driver's query
  protected override send(...args: any[]): any {
    // The pool's own, which has the connection for itself.
    if (typeof args.at(-1) === 'function') return super.send(...args);
    const result = this.#last.then(() => super.send(...args));
    this.#last = result.catch(() => {});
    return result;
  }
}

/** Keeps the statements of prepared queries in the session. */
class PreparingClient extends Client {
  // biome-ignore lint/suspicious/noExplicitAny: as the driver's query
  protected override send(...args: any[]): any {
    const [text, values, callback] = args;
    const name = typeof text === 'string' ? statementName(text) : undefined;
    if (!name) return super.send(...args);
    const send = (answer: unknown) =>
      // The driver would copy an object that describes a query, which takes a tenth of all its work.
      super.send(Object.assign(new Query(text, values, answer), { name }));
    if (callback) return send(callback);
    return new Promise((resolve, reject) => {
      send((error: Error | null, result: unknown) => (error ? reject(error) : resolve(result)));
    });
  }
}

function dialectOver(pool: pg.Pool, { pooler }: PostgresLocation): PostgresDialect {
  const connect = () => pool.connect().catch(throwUnavailable);
  const config = { pool: { connect, end: () => pool.end(), options: pool.options } as never };
  return new Dialect(config, {
    isOneConnection: false,
    alone: async (text, values) => (await pool.query(text, values as unknown[])).rows,
    // What a pooler does with it depends on its version.
    ...(!pooler && { together: pipelining(pool) }),
  });
}

/** The handle of each connection that has had a transaction. */
const handles = new WeakMap<pg.PoolClient, { db: Kysely<Tables>; driver: ConnectionDriver }>();

/** Takes a connection, until the transaction ends, and sends the beginning of one. */
async function begin(pool: pg.Pool): Promise<Beginning> {
  const client = await pool.connect().catch(throwUnavailable);
  let handle = handles.get(client);
  if (!handle) {
    const dialect = new ConnectionDialect(client);
    handle = { db: new Kysely<Tables>({ dialect }), driver: dialect.driver };
    handles.set(client, handle);
  }
  const tx = await handle.db.startTransaction().execute();
  return { tx, begun: handle.driver.begun };
}

/** The ways to run a prepared query. */
interface Ways {
  isOneConnection: boolean;
  /** On the one connection, or any of the pool, which leaves the pool when the query fails. */
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

/** For one connection: what is asked belongs to the transaction that is under way on it. */
class ConnectionDialect extends Dialect {
  readonly driver: ConnectionDriver;

  constructor(client: pg.PoolClient) {
    const config = { pool: { connect: async () => client, async end() {} } as never };
    super(config, {
      isOneConnection: true,
      alone: async (text, values) => (await client.query(text, values as unknown[])).rows,
    });
    this.driver = new ConnectionDriver(config);
  }

  override createDriver(): ConnectionDriver {
    return this.driver;
  }
}

class ConnectionDriver extends PostgresDriver {
  begun: Promise<void> = Promise.resolve();

  /** Does not wait for the answer: what comes first can be sent with it. */
  override async beginTransaction(...args: Parameters<PostgresDriver['beginTransaction']>) {
    this.begun = super.beginTransaction(...args);
    this.begun.catch(() => {});
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      if (!(error instanceof BackEndUnavailable)) throw error;
      throw new OutcomeUnknown(error.message, { cause: error });
    }
  }
}

class Adapter extends PostgresAdapter implements DirectAdapter {
  readonly isOneConnection: boolean;
  readonly #ways: Ways;

  constructor(ways: Ways) {
    super();
    this.isOneConnection = ways.isOneConnection;
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
