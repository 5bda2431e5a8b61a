import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { toDiskError } from '../disk-failure.ts';

/** "Brfs" in ASCII. Marks a database file as ours (SQLite documentation, pragma application_id). */
export const APPLICATION_ID = 0x42726673;

/** How long a write waits for another process's transaction. */
export const BUSY_TIMEOUT_MS = 10_000;

/**
 * How many pages of 4 KB the log has before SQLite copies them into the database. A larger log
 * saves writes of pages that change often.
 */
const CHECKPOINT_PAGES = 4096;

export function databasePath(dataDir: string): string {
  return join(dataDir, 'briefs.db');
}

/**
 * Opens a database file with write-ahead log, foreign keys and a sync on every commit, so that
 * confirmed writes survive a power cut.
 *
 * @param options.mustExist fails if there is no such file, instead of creating it
 * @param options.noRoom with `readOnly`: reads without the shared file of 32 KB, which other opening
 *   creates
 * @throws DiskFull if there is no room for that file; BackEndUnavailable if the disk fails
 */
export function openSqliteFile(
  path: string,
  { readOnly = false, mustExist = false, noRoom = false }: OpenOptions = {},
): DatabaseSync {
  const url = pathToFileURL(path);
  url.search = noRoom ? '?readonly_shm=1' : '?mode=rw';
  return withDiskErrors(() => {
    // SQLite wants the file, be it empty.
    if (noRoom) closeSync(openSync(`${path}-shm`, 'a'));
    const database = new DatabaseSync(mustExist || noRoom ? url : path, {
      readOnly,
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
    });
    try {
      prepareFile(database, readOnly);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

interface OpenOptions {
  readOnly?: boolean;
  mustExist?: boolean;
  noRoom?: boolean;
}

function prepareFile(database: DatabaseSync, readOnly: boolean): void {
  if (!readOnly) {
    database.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    // Writing it would wait for other writers.
    if (numberIn(database, 'application_id') !== APPLICATION_ID) {
      database.exec(`pragma application_id = ${APPLICATION_ID}`);
    }
  }
  database.exec(
    'pragma synchronous = full; pragma cache_size = -16384; pragma mmap_size = 268435456',
  );
}

export function numberIn(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}

/**
 * Runs `work`.
 *
 * @param onFailure called with each error
 * @throws BackEndUnavailable if the disk fails; any other error of `work`
 */
export function withDiskErrors<T>(work: () => T, onFailure?: (error: unknown) => void): T {
  try {
    return work();
  } catch (error) {
    onFailure?.(error);
    throw toDiskError(error);
  }
}
