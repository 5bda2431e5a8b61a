import {
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from 'kysely';
import type pg from 'pg';
import { BackEndUnavailable } from '../../base/errors.ts';
import { throwUnavailable } from './postgres-client.ts';
import { createPipeline, type RunQuery } from './postgres-pipeline.ts';
import { type Beginning, OutcomeUnknown } from './postgres-transactions.ts';
import type { DirectAdapter } from './prepared.ts';
import type { PostgresLocation } from './sql.ts';
import type { Tables } from './tables.ts';

/** Creates a Kysely dialect for queries outside transactions, for snapshots and for migrations. */
export function dialectOver(pool: pg.Pool, { pooler }: PostgresLocation): PostgresDialect {
  const connect = () => pool.connect().catch(throwUnavailable);
  const config = { pool: { connect, end: () => pool.end(), options: pool.options } as never };
  return new Dialect(config, {
    isOneConnection: false,
    single: async (text, values) => (await pool.query(text, values as unknown[])).rows,
    // Poolers differ in how they treat pipelined queries.
    ...(!pooler && { pipelined: createPipeline(pool) }),
  });
}

/** Caches one Kysely handle per connection. */
const handles = new WeakMap<pg.PoolClient, { db: Kysely<Tables>; driver: ConnectionDriver }>();

/** Takes a connection from the pool until the transaction ends, and sends `begin`. */
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

/** How to run a prepared query. */
interface QueryRunners {
  isOneConnection: boolean;
  /** Runs it on the one connection, or on any of the pool. */
  single: RunQuery;
  /** Runs it in one batch with others of the same tick. */
  pipelined?: RunQuery;
}

class Dialect extends PostgresDialect {
  readonly #runners: QueryRunners;

  constructor(config: PostgresDialectConfig, runners: QueryRunners) {
    super(config);
    this.#runners = runners;
  }

  override createAdapter(): PostgresAdapter {
    return new Adapter(this.#runners);
  }
}

/** A dialect for one connection, whose queries belong to its current transaction. */
class ConnectionDialect extends Dialect {
  readonly driver: ConnectionDriver;

  constructor(client: pg.PoolClient) {
    const config = { pool: { connect: async () => client, async end() {} } as never };
    super(config, {
      isOneConnection: true,
      single: async (text, values) => (await client.query(text, values as unknown[])).rows,
    });
    this.driver = new ConnectionDriver(config);
  }

  override createDriver(): ConnectionDriver {
    return this.driver;
  }
}

class ConnectionDriver extends PostgresDriver {
  begun: Promise<void> = Promise.resolve();

  /** Does not wait for the answer, so the first query can be sent in the same message. */
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
  readonly #runners: QueryRunners;

  constructor(runners: QueryRunners) {
    super();
    this.isOneConnection = runners.isOneConnection;
    this.#runners = runners;
  }

  /** Not needed: `migrate` holds a lock of its transaction. */
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}

  execute(text: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    return this.#runners.single(text, parameters).catch(throwUnavailable);
  }

  lookUp(text: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    const { single, pipelined = single } = this.#runners;
    return pipelined(text, parameters).catch(throwUnavailable);
  }
}
