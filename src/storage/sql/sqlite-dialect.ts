import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely';
import { BackEndUnavailable } from '../../base/errors.ts';
import type { DirectAdapter } from './prepared.ts';
import { withDiskErrors } from './sqlite-file.ts';

/**
 * The handles of a database file. Reads use the writing handle while no transaction is open,
 * because its page cache is warm; another handle must reload pages after each commit. During a
 * transaction they use the reading handle, so they neither wait nor see uncommitted rows.
 */
interface Handles {
  writing: DatabaseSync;
  reading: DatabaseSync;
}

/** Called with each error of a statement. */
export type OnFailure = (error: unknown) => void;

/** Creates a Kysely dialect over one open `node:sqlite` handle. */
export function sqliteDialect(handle: DatabaseSync, onFailure?: OnFailure): Dialect {
  const database = toKyselyDatabase(handle, onFailure);
  const driver: ImmediateDriver = new ImmediateDriver(handle, {
    prepare(text) {
      driver.requireOpenTransaction();
      return database.prepare(text);
    },
    close: () => database.close(),
  });
  return dialectOver(driver);
}

export function readersDialect({ writing, reading }: Handles, onFailure?: OnFailure): Dialect {
  const idle = toKyselyDatabase(writing, onFailure);
  const beside = toKyselyDatabase(reading, onFailure);
  const database: SqliteDatabase = {
    prepare: (text) => (writing.isTransaction ? beside : idle).prepare(text),
    close: () => beside.close(),
  };
  return dialectOver(new ImmediateDriver(reading, database));
}

function dialectOver(driver: ImmediateDriver): Dialect {
  const { database } = driver;
  const dialect = new SqliteDialect({ database });
  return {
    createAdapter: () => new Adapter(database),
    createDriver: () => driver,
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

class Adapter extends SqliteAdapter implements DirectAdapter {
  readonly isOneConnection = true;
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super();
    this.#database = database;
  }

  /** SQLite can roll back DDL, so a failed migration leaves no trace. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  execute(text: string, parameters: readonly unknown[]): readonly unknown[] {
    return this.#database.prepare(text).all(parameters);
  }

  lookUp(text: string, parameters: readonly unknown[]): readonly unknown[] {
    return this.execute(text, parameters);
  }
}

/**
 * Takes the write lock when a transaction begins. A deferred transaction that reads and then writes
 * fails at once if another process wrote in between, whatever the timeout.
 */
class ImmediateDriver extends SqliteDriver {
  readonly database: SqliteDatabase;
  readonly #handle: DatabaseSync;
  #isBegun = false;

  constructor(handle: DatabaseSync, database: SqliteDatabase) {
    super({ database });
    this.#handle = handle;
    this.database = database;
  }

  /**
   * Checks that SQLite has not rolled the transaction back, as it does if the disk fails. Later
   * statements would be committed one by one.
   *
   * @throws BackEndUnavailable
   */
  requireOpenTransaction(): void {
    if (!this.#isBegun || this.#handle.isTransaction) return;
    throw new BackEndUnavailable('the disk failed, so the transaction was rolled back');
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#isBegun = false;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.#isBegun = false;
    if (this.#handle.isTransaction) await super.rollbackTransaction(connection);
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    { accessMode }: TransactionSettings = {},
  ): Promise<void> {
    const begin = accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
    this.#isBegun = true;
  }
}

/** Adapts `node:sqlite` to Kysely's interface, and caches prepared statements. */
export function toKyselyDatabase(database: DatabaseSync, onFailure?: OnFailure): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        const prepared = withDiskErrors(() => database.prepare(sql), onFailure);
        statement = toKyselyStatement(prepared, onFailure);
        if (statements.size >= 500) statements.delete(statements.keys().next().value as string);
        statements.set(sql, statement);
      }
      return statement;
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}

/**
 * Builds rows from arrays of values. The driver's own row objects are dictionaries to V8, slow to
 * read and to copy.
 */
function toKyselyStatement(statement: StatementSync, onFailure?: OnFailure): SqliteStatement {
  const names = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  const toRow = (values: unknown): unknown => {
    const row: Record<string, unknown> = {};
    names.forEach((name, index) => {
      row[name] = (values as unknown[])[index];
    });
    return row;
  };
  return {
    reader: names.length > 0,
    all: (parameters) =>
      withDiskErrors(() => statement.all(...(parameters as SQLInputValue[])).map(toRow), onFailure),
    run: (parameters) =>
      withDiskErrors(() => statement.run(...(parameters as SQLInputValue[])), onFailure),
    *iterate(parameters) {
      const rows = statement.iterate(...(parameters as SQLInputValue[]));
      for (const values of rows) yield toRow(values);
    },
  };
}
