import {
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from 'kysely';
import type pg from 'pg';
import { BackEndUnavailable } from '../../errors.ts';
import { throwUnavailable } from './postgres-client.ts';
import { pipelining, type RunQuery } from './postgres-pipeline.ts';
import { type Beginning, OutcomeUnknown } from './postgres-transactions.ts';
import type { DirectAdapter } from './prepared.ts';
import type { PostgresLocation } from './sql.ts';
import type { Tables } from './tables.ts';

/** A Kysely dialect for what belongs to no transaction, and for snapshots. */
export function dialectOver(pool: pg.Pool, { pooler }: PostgresLocation): PostgresDialect {
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
export async function begin(pool: pg.Pool): Promise<Beginning> {
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

  lookUp(text: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    const { alone, together = alone } = this.#ways;
    return together(text, parameters).catch(throwUnavailable);
  }
}
