import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackEndUnavailable } from '../base/errors.ts';
import { toDiskError } from './disk-failure.ts';

const RETRY_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 60_000;

const OWNER_ONLY = 0o700;

/**
 * Runs work while no other code, in this or another process, opens or replaces this data directory.
 * SQLite cannot create a database or switch it to write-ahead logging in several processes at once.
 * The lock is a transaction on the file `start.lock` in it, which also ends with the process.
 *
 * @throws Error if the others do not finish within a minute; with one line that begins with
 *   `DATA_DIR:` if the disk fails
 */
export async function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  createDataDirectory(dataDir);
  try {
    const lock = new DatabaseSync(join(dataDir, 'start.lock'), { timeout: 0 });
    try {
      await take(lock, Date.now() + GIVE_UP_AFTER_MS);
      return await work();
    } finally {
      lock.close();
    }
  } catch (cause) {
    const error = toDiskError(cause);
    if (!(error instanceof BackEndUnavailable)) throw error;
    throw new Error(`DATA_DIR: ${dataDir} cannot be used (${error.message}).`, { cause });
  }
}

/**
 * Creates the data directory if it is missing. Only its owner can read it, because it holds keys
 * and private documents.
 *
 * @throws Error with one line that begins with `DATA_DIR:`
 */
export function createDataDirectory(dataDir: string): void {
  try {
    createWithParents(dataDir, OWNER_ONLY);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`DATA_DIR: ${dataDir} is not a folder and cannot be created (${code}).`, {
      cause,
    });
  }
}

/**
 * Creates a folder and its parents. Node's own `recursive` never returns if a parent exists but
 * takes no folders (/proc).
 */
function createWithParents(path: string, mode?: number): void {
  if (!existsSync(dirname(path))) createWithParents(dirname(path));
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Ignore the error if another process has just created it.
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error;
  }
}

async function take(lock: DatabaseSync, giveUpAt: number): Promise<void> {
  for (;;) {
    try {
      lock.exec('begin exclusive');
      return;
    } catch (error) {
      if (!(error instanceof Error) || !/locked/.test(error.message)) throw error;
      if (Date.now() > giveUpAt) throw new Error('Another process is still opening the data.');
    }
    await sleep(RETRY_EVERY_MS);
  }
}
