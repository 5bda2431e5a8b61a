import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databasePath } from './sql.ts';
import { APPLICATION_ID, openSqliteFile } from './sqlite.ts';

/**
 * Writes a consistent copy of the database to a new file, also while the service writes. The file
 * is there whole, and on disk, or not at all.
 *
 * @throws Error when there is no database, or the file exists
 */
export function backUp(dataDir: string, file: string): void {
  const target = resolve(file);
  if (existsSync(target)) throw new Error(`${file} exists already.`);
  if (!existsSync(databasePath(dataDir))) throw new Error(`There is no database in ${dataDir}.`);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  const database = openSqliteFile(databasePath(dataDir));
  try {
    // One read transaction: unlike the page-by-page backup interface, it need not start again
    // whenever another process writes.
    database.prepare('vacuum into ?').run(partial);
  } finally {
    database.close();
  }
  moveDurably(partial, target);
}

/**
 * Puts the database of a backup in place. Checks it whole before anything is replaced.
 *
 * @throws Error when the file is no sound backup, the service runs, or there is data already and
 *   `replace` is not set
 */
export function restore(dataDir: string, file: string, options: { replace: boolean }): void {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  mkdirSync(dataDir, { recursive: true });
  const target = databasePath(dataDir);
  if (existsSync(target)) {
    if (!options.replace) {
      throw new Error(`There is data in ${dataDir} already; --force replaces it.`);
    }
    requireUnused(target);
  }
  const partial = `${target}.partial`;
  copyFileSync(file, partial, constants.COPYFILE_FICLONE);
  try {
    requireSound(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  // A log of the old database must not be applied to the new one.
  for (const suffix of ['-wal', '-shm']) rmSync(target + suffix, { force: true });
  moveDurably(partial, target);
}

/** @throws Error unless the file is an undamaged database of ours */
function requireSound(path: string, shownAs: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const pragma = (name: string) => database.prepare(`pragma ${name}`).all();
    if (pragma('application_id')[0]?.application_id !== APPLICATION_ID) {
      throw new Error(`${shownAs} is no backup of Briefs.`);
    }
    if (pragma('integrity_check')[0]?.integrity_check !== 'ok' || pragma('foreign_key_check')[0]) {
      throw new Error(`${shownAs} is damaged.`);
    }
  } catch (error) {
    if (error instanceof Error && /not a database|malformed/.test(error.message)) {
      throw new Error(`${shownAs} is no backup of Briefs, or is damaged.`);
    }
    throw error;
  } finally {
    database.close();
  }
}

/** Leaving write-ahead logging takes every lock, so it fails while another process has it open. */
function requireUnused(path: string): void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = delete');
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message)) {
      throw new Error('The service is running on this data; stop it first.');
    }
    // A damaged database is a reason to restore, not a reason against it.
  } finally {
    database.close();
  }
}

function moveDurably(from: string, to: string): void {
  sync(from);
  renameSync(from, to);
  sync(dirname(to));
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
