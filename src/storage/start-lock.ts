import { existsSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../base/config-error.ts';
import { BackEndUnavailable } from '../base/errors.ts';
import { isDamage, toDiskError } from './disk-failure.ts';

const RETRY_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 60_000;

const OWNER_ONLY = 0o700;

/** Errors that can be over at the next start. */
const FAILING = new Set(['EIO', 'ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ESTALE']);

/**
 * Runs work while no other code, in this or another process, opens or replaces this data directory.
 * SQLite cannot create a database or switch it to write-ahead logging in several processes at once.
 * The lock is a transaction on the file `start.lock` in it, which also ends with the process. It
 * takes no space, so that data can be read while the disk is full.
 *
 * @throws Error if the others do not finish within a minute; with one line that begins with
 *   `DATA_DIR:` if the disk fails
 */
export async function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  createDataDirectory(dataDir);
  try {
    const path = join(dataDir, 'start.lock');
    const lock = new DatabaseSync(path, { timeout: 0 });
    try {
      await take({ lock, path }, Date.now() + GIVE_UP_AFTER_MS);
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
 * @throws ConfigError that begins with `DATA_DIR:`; Error if the disk is full or failing
 */
export function createDataDirectory(dataDir: string): void {
  try {
    createWithParents(dataDir, OWNER_ONLY);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const Fault = FAILING.has(code ?? '') ? Error : ConfigError;
    throw new Fault(`DATA_DIR: ${dataDir} is not a folder and cannot be created (${code}).`, {
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

async function take(
  { lock, path }: { lock: DatabaseSync; path: string },
  giveUpAt: number,
): Promise<void> {
  for (;;) {
    try {
      lock.exec('pragma journal_mode = memory; begin exclusive');
      return;
    } catch (error) {
      // Nobody can hold a lock on such a file. Emptying it keeps a lock that somebody takes meanwhile.
      const isFile = isDamage(error);
      if (isFile) truncateSync(path);
      if (!(error instanceof Error) || !(isFile || /locked/.test(error.message))) throw error;
      if (Date.now() > giveUpAt) throw new Error('Another process is still opening the data.');
    }
    await sleep(RETRY_EVERY_MS);
  }
}
