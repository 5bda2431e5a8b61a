import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  sql,
  type TransactionSettings,
} from 'kysely';
import { BackEndUnavailable } from '../../errors.ts';
import { isDiskFull } from '../disk-failure.ts';
import { diskReserve } from '../disk-space.ts';
import { oncePerSecond } from '../once-per-second.ts';
import { withStartLock } from '../start-lock.ts';
import { openSqliteWordIndex } from '../word-index/sqlite-word-index.ts';
import { groupCommits } from './group-commit.ts';
import { migrate } from './migrate.ts';
import type { DirectAdapter } from './prepared.ts';
import type { Reader, Sql } from './sql.ts';
import { databasePath, emptyLog, numberIn, openSqliteFile, withDiskErrors } from './sqlite-file.ts';
import type { Tables } from './tables.ts';

/**
 * Opens the embedded database in `dataDir`, creates what is missing and runs missing migrations.
 *
 * @throws Error if the database is newer than this code
 */
export function openSqlite(dataDir: string): Promise<Sql> {
  return withStartLock(dataDir, () => open(dataDir));
}

async function open(dataDir: string): Promise<Sql> {
  const path = databasePath(dataDir);
  const writing = openSqliteFile(path);
  const write = new Kysely<Tables>({ dialect: sqliteDialect(writing) });
  let words: ReturnType<typeof openSqliteWordIndex>;
  let schemaDifference: string | undefined;
  try {
    writing.exec('pragma foreign_keys = off');
    schemaDifference = await migrate(write);
    writing.exec('pragma foreign_keys = on');
    words = openSqliteWordIndex(dataDir, writing);
  } catch (error) {
    await write.destroy();
    throw error;
  }
  const handles = { writing, reading: openSqliteFile(path) };
  const read = new Kysely<Tables>({ dialect: readersDialect(handles) });
  // Kysely closes the handle only after a query of its own, and prepared queries bypass Kysely.
  await sql`select 1`.execute(read);
  const reserve = diskReserve(dataDir, () => reusableBytes(writing));
  const commit = groupCommits(() => write.startTransaction().execute());
  const transaction: Sql['transaction'] = async (work, options = {}) => {
    if (!options.freesSpace) reserve.requireRoom();
    // Done while there is still space to copy the log, because a growing log can use up the rest.
    else if (reserve.isFull()) emptyLog(writing);
    try {
      return await commit(work);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      reserve.release();
      emptyLog(writing);
      if (!options.freesSpace) throw error;
      return commit(work);
    }
  };
  return {
    read,
    transaction,
    requireRoom: () => reserve.requireRoom(),
    reserveSpace: () => reserve.hold(),
    snapshot: (work) => inSnapshot(path, work),
    words,
    schemaDifference,
    ping: oncePerSecond(async () => {
      // Setting a header field to its current value writes and syncs one page.
      await transaction((tx) =>
        sql.raw(`pragma user_version = ${numberIn(writing, 'user_version')}`).execute(tx),
      );
    }),
    async close() {
      await words.close();
      await read.destroy();
      await write.destroy();
    },
  };
}

/** Returns the size of the free pages, which SQLite reuses before the file grows. */
function reusableBytes(database: DatabaseSync): number {
  return numberIn(database, 'freelist_count') * numberIn(database, 'page_size');
}

/** Uses its own handle, so that other reads neither join its transaction nor wait for it. */
async function inSnapshot<T>(path: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const handle = openSqliteFile(path, { readOnly: true });
  const db = new Kysely<Tables>({ dialect: sqliteDialect(handle) });
  try {
    return await db.transaction().setAccessMode('read only').execute(work);
  } finally {
    await db.destroy();
  }
}

/**
 * The handles of a database file. Reads use the writing handle while no transaction is open,
 * because its page cache is warm; another handle must reload pages after each commit. During a
 * transaction they use the reading handle, so they neither wait nor see uncommitted rows.
 */
interface Handles {
  writing: DatabaseSync;
  reading: DatabaseSync;
}

/** Creates a Kysely dialect over one open `node:sqlite` handle. */
export function sqliteDialect(handle: DatabaseSync): Dialect {
  const database = toKyselyDatabase(handle);
  const driver: ImmediateDriver = new ImmediateDriver(handle, {
    prepare(text) {
      driver.requireOpenTransaction();
      return database.prepare(text);
    },
    close: () => database.close(),
  });
  return dialectOver(driver);
}

function readersDialect({ writing, reading }: Handles): Dialect {
  const idle = toKyselyDatabase(writing);
  const beside = toKyselyDatabase(reading);
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
export function toKyselyDatabase(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        statement = toKyselyStatement(withDiskErrors(() => database.prepare(sql)));
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
function toKyselyStatement(statement: StatementSync): SqliteStatement {
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
      withDiskErrors(() => statement.all(...(parameters as SQLInputValue[])).map(toRow)),
    run: (parameters) => withDiskErrors(() => statement.run(...(parameters as SQLInputValue[]))),
    *iterate(parameters) {
      const rows = statement.iterate(...(parameters as SQLInputValue[]));
      for (const values of rows) yield toRow(values);
    },
  };
}
