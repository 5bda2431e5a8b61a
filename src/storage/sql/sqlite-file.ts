import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { fromDisk } from '../disk-failure.ts';

/** "Brfs" in ASCII: marks a database file as ours (SQLite documentation, pragma application_id). */
export const APPLICATION_ID = 0x42726673;

/** How long a writer waits for another process's transaction before it gives up. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * How many pages of 4 KB the log takes before they go into the database. The more, the more often a
 * page has changed again by then, and is written once for it.
 */
const CHECKPOINT_PAGES = 4096;

/** Where the embedded database is, below the data directory. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'briefs.db');
}

/**
 * Opens a database file the way the service needs it: write-ahead log, every commit synced before
 * it returns (so that what was answered survives a power cut), foreign keys on.
 *
 * @param options.isThere when the file is not to be made where there is none
 */
export function openSqliteFile(
  path: string,
  { readOnly = false, isThere = false }: { readOnly?: boolean; isThere?: boolean } = {},
): DatabaseSync {
  const url = pathToFileURL(path);
  url.search = '?mode=rw';
  const database = orFromDisk(
    () =>
      new DatabaseSync(isThere ? url : path, {
        readOnly,
        timeout: BUSY_TIMEOUT_MS,
        enableForeignKeyConstraints: true,
      }),
  );
  if (!readOnly) {
    database.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    // To write it again would wait for whoever writes.
    if (numberIn(database, 'application_id') !== APPLICATION_ID) {
      database.exec(`pragma application_id = ${APPLICATION_ID}`);
    }
  }
  database.exec(
    'pragma synchronous = full; pragma cache_size = -16384; pragma mmap_size = 268435456',
  );
  return database;
}

/** A number in the head of a database file, as a pragma calls it. */
export function numberIn(
  database: DatabaseSync,
  name: 'application_id' | 'user_version' | 'freelist_count' | 'page_size',
): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}

/**
 * Moves the log into the database, which gives the log's room back to the disk. Does nothing while a
 * transaction is open or another process reads what the log has.
 */
export function emptyLog(database: DatabaseSync): void {
  if (database.isTransaction) return;
  try {
    database.exec('pragma busy_timeout = 0; pragma wal_checkpoint(truncate)');
  } catch {
    // There is no room to copy it. The next commit that fails tries again.
  } finally {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** What `work` gives. @throws BackEndUnavailable where the disk fails; whatever else it throws */
export function orFromDisk<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fromDisk(error);
  }
}
