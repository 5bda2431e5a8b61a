import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackEndUnavailable } from '../errors.ts';
import { fromDisk } from './disk-failure.ts';

const RETRY_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 60_000;

const OWNER_ONLY = 0o700;

/**
 * Runs work while nobody else does so on this data directory, in this process or another. Making a
 * database and switching it to write-ahead logging are the two things that SQLite does not let
 * several processes do at once; a transaction on a file beside it keeps them in line, and ends with
 * the process whatever becomes of it.
 *
 * @throws Error when the others do not finish within a minute; in one line that begins with
 *   `DATA_DIR:` when the disk fails
 */
export async function alone<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  makeDataDirectory(dataDir);
  try {
    const lock = new DatabaseSync(join(dataDir, 'start.lock'), { timeout: 0 });
    try {
      await take(lock, Date.now() + GIVE_UP_AFTER_MS);
      return await work();
    } finally {
      lock.close();
    }
  } catch (cause) {
    const error = fromDisk(cause);
    if (!(error instanceof BackEndUnavailable)) throw error;
    throw new Error(`DATA_DIR: ${dataDir} cannot be used (${error.message}).`, { cause });
  }
}

/**
 * Makes the data directory where there is none, for nobody else on this machine to look into: it
 * holds keys and private documents.
 *
 * @throws Error in one line that begins with `DATA_DIR:`
 */
export function makeDataDirectory(dataDir: string): void {
  try {
    makeWithParents(dataDir, OWNER_ONLY);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`DATA_DIR: ${dataDir} is no folder and cannot be made one (${code}).`, {
      cause,
    });
  }
}

/** Node's own `recursive` never ends where a parent is there and takes no folders (/proc). */
function makeWithParents(path: string, mode?: number): void {
  if (!existsSync(dirname(path))) makeWithParents(dirname(path));
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Also where another process was faster.
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
