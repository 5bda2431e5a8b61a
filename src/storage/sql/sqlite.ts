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
import { onceASecond } from '../once-per-second.ts';
import { alone } from '../start-lock.ts';
import { openSqliteWordIndex } from '../word-index/sqlite-word-index.ts';
import { groupCommits } from './group-commit.ts';
import { migrate } from './migrate.ts';
import type { DirectAdapter } from './prepared.ts';
import type { Reader, Sql } from './sql.ts';
import { databasePath, emptyLog, numberIn, openSqliteFile, orFromDisk } from './sqlite-file.ts';
import type { Tables } from './tables.ts';

/**
 * Opens the embedded database below `dataDir`, creates what is missing and brings the schema up to
 * date.
 *
 * @throws Error when the database is newer than this code
 */
export function openSqlite(dataDir: string): Promise<Sql> {
  return alone(dataDir, () => open(dataDir));
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
  // Before its first query it would not close the handle, and prepared ones go past it.
  await sql`select 1`.execute(read);
  const reserve = diskReserve(dataDir, () => reusableBytes(writing));
  const commit = groupCommits(() => write.startTransaction().execute());
  const transaction: Sql['transaction'] = async (work, options = {}) => {
    if (!options.freesSpace) reserve.requireRoom();
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
    ping: onceASecond(async () => {
      // The number is in the head of the file: to set it to what it is writes a page and syncs it.
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

/** Pages that deleted rows have left: they are written before the file grows. */
function reusableBytes(database: DatabaseSync): number {
  return numberIn(database, 'freelist_count') * numberIn(database, 'page_size');
}

/** On a handle of its own: other reads must not end up in its transaction, nor wait for it. */
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
 * The handles of a database file. Where nothing is being written, readers use the one that writes: it has
 * its pages at hand, while another has to read them again after each commit. The other is for reads beside
 * a transaction, so that they neither wait for it nor see the inside of it.
 */
interface Handles {
  writing: DatabaseSync;
  reading: DatabaseSync;
}

/** A Kysely dialect over one open `node:sqlite` handle. */
export function sqliteDialect(handle: DatabaseSync): Dialect {
  const database = toKyselyDatabase(handle);
  const driver: ImmediateDriver = new ImmediateDriver(handle, {
    prepare(text) {
      driver.requireUndivided();
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

  /** SQLite's DDL is transactional, so a migration happens whole or not at all. */
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
 * Takes the write lock when the transaction begins. A deferred transaction that reads and then
 * writes fails at once when another process wrote in between, whatever the time-out.
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
   * SQLite undoes a transaction by itself where the disk fails in the middle of it. What comes after
   * would be committed, each statement for itself.
   *
   * @throws BackEndUnavailable
   */
  requireUndivided(): void {
    if (!this.#isBegun || this.#handle.isTransaction) return;
    throw new BackEndUnavailable('the disk failed, and the transaction was undone');
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

/**
 * Gives `node:sqlite` the shape that Kysely expects, and keeps prepared statements: the driver
 * prepares on every call otherwise.
 */
export function toKyselyDatabase(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        statement = toKyselyStatement(orFromDisk(() => database.prepare(sql)));
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
 * Rows are made here of the driver's values: its own objects are dictionaries to V8, slow to read and slower to
 * copy.
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
      orFromDisk(() => statement.all(...(parameters as SQLInputValue[])).map(toRow)),
    run: (parameters) => orFromDisk(() => statement.run(...(parameters as SQLInputValue[]))),
    *iterate(parameters) {
      const rows = statement.iterate(...(parameters as SQLInputValue[]));
      for (const values of rows) yield toRow(values);
    },
  };
}
