import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
 */
export function openSqliteFile(path: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  const database = orFromDisk(
    () =>
      new DatabaseSync(path, {
        readOnly: options.readOnly ?? false,
        timeout: BUSY_TIMEOUT_MS,
        enableForeignKeyConstraints: true,
      }),
  );
  if (!options.readOnly) {
    database.exec(`pragma journal_mode = wal; pragma application_id = ${APPLICATION_ID}`);
    database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  }
  database.exec(
    'pragma synchronous = full; pragma cache_size = -16384; pragma mmap_size = 268435456',
  );
  return database;
}

/** What `work` gives. @throws BackEndUnavailable where the disk fails; whatever else it throws */
export function orFromDisk<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fromDisk(error);
  }
}
