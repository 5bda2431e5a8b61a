import { join } from 'node:path';
import { Kysely, sql, type Transaction } from 'kysely';
import { alone } from '../alone.ts';
import { migrate } from './migrate.ts';
import { openSqliteFile, sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** Runs queries: the readers' handle, or a transaction. */
export type Reader = Kysely<Tables>;

/** Runs queries inside one transaction; only these may write. */
export type Writer = Transaction<Tables>;

/** The database. */
export interface Sql {
  /** For reads outside a transaction. Never use it inside one: it would not see its writes. */
  read: Reader;
  /** Runs `work` as one transaction: all of it is on disk when this resolves, or none of it. */
  transaction<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /** Asks the database for an answer; throws when there is none. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Where the embedded database is, below the data directory. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'briefs.db');
}

/**
 * Opens the embedded database below `dataDir`, creates what is missing and brings the schema up to
 * date.
 *
 * @throws Error when the database is newer than this code
 */
export function openSql(dataDir: string): Promise<Sql> {
  return alone(dataDir, () => open(dataDir));
}

async function open(dataDir: string): Promise<Sql> {
  const path = databasePath(dataDir);
  const write = new Kysely<Tables>({ dialect: sqliteDialect(openSqliteFile(path)) });
  try {
    await migrate(write);
  } catch (error) {
    await write.destroy();
    throw error;
  }
  // Readers have a handle of their own, so that they neither wait for a transaction of this
  // process nor see the inside of one.
  const read = new Kysely<Tables>({ dialect: sqliteDialect(openSqliteFile(path)) });
  return {
    read,
    transaction: (work) => write.transaction().execute(work),
    async ping() {
      await sql`select 1`.execute(read);
    },
    async close() {
      await read.destroy();
      await write.destroy();
    },
  };
}
