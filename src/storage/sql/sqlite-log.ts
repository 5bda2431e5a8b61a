import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { BackEndUnavailable } from '../../base/errors.ts';
import { toDiskError } from '../disk-failure.ts';
import { BUSY_TIMEOUT_MS } from './sqlite-file.ts';

/**
 * The write-ahead log of a SQLite database whose commits write the log and don't sync it
 * (`synchronous = normal`). It is synced on another thread, so that a slow disk stops nobody else.
 */
export interface SqliteLog {
  /** To be called after each commit. */
  committed(): void;
  /**
   * Waits until everything committed so far is on disk. Callers who wait during a sync share the next.
   *
   * @throws BackEndUnavailable if it can't be synced
   */
  synced(): Promise<void>;
  /**
   * After a failed sync, nobody knows what of the log is on disk. So it has to be copied into the
   * database, which syncs both, before anything else is written.
   *
   * @throws BackEndUnavailable if that fails
   */
  repair(): void;
  close(): void;
}

/**
 * @param path the path of the database, which is open and has a log
 * @param sync syncs an open file
 */
export function openSqliteLog(
  database: DatabaseSync,
  path: string,
  sync: (descriptor: number) => Promise<void> = promisify(fdatasync),
): SqliteLog {
  const descriptor = openSync(`${path}-wal`, 'r+');
  let commits = 0;
  let onDisk = 0;
  let isBroken = false;
  /** The sync that runs, the commits that were before it, and the sync after it. */
  let running: Promise<void> | undefined;
  let covered = 0;
  let next: Promise<void> | undefined;

  async function syncAfter(other: Promise<void> | undefined): Promise<void> {
    await other?.catch(() => {});
    [running, next, covered] = [next, undefined, commits];
    if (isBroken) throw new BackEndUnavailable('the database’s log could not be synced');
    try {
      await sync(descriptor);
      onDisk = covered;
    } catch (error) {
      isBroken = true;
      throw toDiskError(error);
    }
  }

  return {
    committed() {
      commits += 1;
    },
    async synced() {
      if (onDisk === commits) return;
      if (covered !== commits) next ??= syncAfter(running);
      await (next ?? running);
    },
    repair() {
      if (!isBroken) return;
      if (isCopied(database)) [isBroken, onDisk] = [false, commits];
      else throw new BackEndUnavailable('the database’s log is in use');
    },
    close: () => closeSync(descriptor),
  };
}

/**
 * Copies the log into the database and empties it.
 *
 * @returns whether nobody reads from the log @throws BackEndUnavailable if the disk fails
 */
function isCopied(database: DatabaseSync): boolean {
  // Waiting for readers would stop everybody.
  database.exec('pragma busy_timeout = 0');
  try {
    return database.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0;
  } catch (error) {
    throw toDiskError(error);
  } finally {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
