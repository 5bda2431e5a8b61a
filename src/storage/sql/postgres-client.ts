import pg from 'pg';
import { BackEndUnavailable } from '../../base/errors.ts';
import { statementName } from './prepared.ts';
import type { PostgresLocation } from './sql.ts';

/** How long a request waits for a connection. */
const CONNECT_WITHIN_MS = 5_000;

/**
 * Opens a pool whose queries throw {@link BackEndUnavailable} if the server or the connection
 * fails.
 */
export function openPool(location: PostgresLocation, config: pg.PoolConfig): pg.Pool {
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
  // A connection that breaks while idle leaves the pool; the next use opens another.
  pool.on('error', () => {});
  // If it breaks between two statements, the next statement fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Converts 64-bit integers (counts and sums) to numbers; the driver would return text. */
const getTypeParser: typeof pg.types.getTypeParser = (id, format) =>
  (id as number) === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format);

/** A connection that throws {@link BackEndUnavailable} if the server or the connection fails. */
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

  /** Sends the queries of one tick in one packet. */
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
    // A late answer would be taken for the next statement's.
    const isLate = error.message === 'Query read timeout';
    if (isLate || isReadOnly(error)) this.connection.stream.destroy();
    throw toUnavailable(error);
  }
}

/** Sends a query only after the previous one is answered. The driver's own queue is deprecated. */
class QueueingClient extends Client {
  #last: Promise<unknown> = Promise.resolve();

  // biome-ignore lint/suspicious/noExplicitAny: as the driver's query
  protected override send(...args: any[]): any {
    // A query by the pool itself, which has exclusive use of the connection.
    if (typeof args.at(-1) === 'function') return super.send(...args);
    const result = this.#last.then(() => super.send(...args));
    this.#last = result.catch(() => {});
    return result;
  }
}

/** Sends prepared queries as named statements, so the session caches them. */
class PreparingClient extends Client {
  // biome-ignore lint/suspicious/noExplicitAny: as the driver's query
  protected override send(...args: any[]): any {
    const [text, values, ...callback] = args;
    const name = typeof text === 'string' ? statementName(text) : undefined;
    return name ? super.send({ name, text, values }, ...callback) : super.send(...args);
  }
}

/**
 * SQLSTATE codes that mean the server failed, not the statement. Classes: connection exception,
 * insufficient resources, operator intervention (shutdown, timeout), system error. Codes: idle
 * transaction timeout, read-only server, unknown prepared statement.
 */
const SERVER_STATES = /^(08|53|57|58)|^(25P03|25006|26000)$/;

/** Tells whether the server no longer accepts writes, as after a failover. */
function isReadOnly(error: Error & { code?: string }): boolean {
  return error.code === '25006';
}

/** The driver's own messages about a lost connection, which have no code. */
const CONNECTION_LOST = /terminated|time-?out|not queryable|connection/i;

export function throwUnavailable(error: Error): never {
  throw toUnavailable(error);
}

function toUnavailable(error: Error & { code?: string }): Error {
  const away =
    error instanceof pg.DatabaseError
      ? SERVER_STATES.test(error.code ?? '')
      : error.code !== undefined || CONNECTION_LOST.test(error.message);
  return away ? new BackEndUnavailable(error.message || error.code, { cause: error }) : error;
}
