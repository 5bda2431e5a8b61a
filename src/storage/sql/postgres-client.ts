import pg from 'pg';
import { BackEndUnavailable } from '../../errors.ts';
import { statementName } from './prepared.ts';
import type { PostgresLocation } from './sql.ts';

/** How long a request waits for a connection. */
const CONNECT_WITHIN_MS = 5_000;

/** Connections whose failures say whether it is the back end that is away ({@link BackEndUnavailable}). */
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

  /** Queries of one tick are sent in one piece. */
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
