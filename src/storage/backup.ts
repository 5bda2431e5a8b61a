import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, link, mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable, Writable } from 'node:stream';
import { BLOBS, DATABASE, unpackArchive, verifyArchive, writeArchive } from './backup-archive.ts';
import { isBlobKey } from './blob/blob-key.ts';
import { blobDirectory, diskBlobStore } from './blob/disk.ts';
import { requireKnown } from './sql/migrate.ts';
import { APPLICATION_ID, databasePath, openSqliteFile } from './sql/sqlite-file.ts';
import { createDataDirectory, withStartLock } from './start-lock.ts';
import { removeWordFile } from './word-index/sqlite-word-file.ts';

/** How often a backup starts again because a blob was deleted meanwhile. */
const ATTEMPTS = 10;

/** Matches the names that `mkdtemp` gives working directories. */
const STAGING = /^(backup|restore)-\w{6}$/;

/** Longer than any backup or restore takes. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/** A backup holds keys and private documents, so only its owner can read it. */
const OWNER_ONLY = 0o600;

/**
 * Writes a consistent copy of all data to a new file, even while the service writes. The complete
 * file is on disk, or none.
 *
 * @throws Error if there is no data, or the file exists
 */
export async function backUp(dataDir: string, file: string): Promise<void> {
  const target = resolve(file);
  if (existsSync(target)) throw new Error(`${file} already exists.`);
  if (!existsSync(dirname(target))) throw new Error(`There is no folder ${dirname(target)}.`);
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  try {
    await backUpTo(dataDir, () => createWriteStream(partial, { flags: 'wx', mode: OWNER_ONLY }));
    await sync(partial);
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await sync(dirname(target));
}

/**
 * Writes a consistent copy of all data to a stream, even while the service writes.
 *
 * @param target called once the data is ready to write
 * @throws Error if there is no data
 */
export async function backUpTo(dataDir: string, target: () => Writable): Promise<void> {
  if (!existsSync(databasePath(dataDir))) throw new Error(`There is no database in ${dataDir}.`);
  await inStaging(dataDir, 'backup-', async (staging) => {
    const blobs = await takeSnapshot(dataDir, staging);
    await writeArchive(staging, [DATABASE, ...blobs.map((key) => `${BLOBS}/${key}`)], target());
  });
}

/**
 * Compares a backup with its checksums. Writes nothing.
 *
 * @returns the number of files and their total size in bytes
 * @throws Error if an entry is damaged, with its name; if there are no checksums
 */
export async function verifyBackup(
  source: BackupSource,
): Promise<{ files: number; bytes: number }> {
  requireThere(source);
  return verifyArchive(reading(source), shown(source));
}

/** A file's path, or a stream. */
export type BackupSource = string | Readable;

const reading = (source: BackupSource) =>
  typeof source === 'string' ? createReadStream(source) : source;

function requireThere(source: BackupSource): void {
  if (typeof source === 'string' && !existsSync(source))
    throw new Error(`There is no file ${source}.`);
}

const shown = (source: BackupSource) =>
  typeof source === 'string' ? source : 'The backup on standard input';

/**
 * Copies the database and links every blob that it refers to. A blob that the copy refers to may be
 * deleted before it is linked; then both are copied again. Linking all blobs first makes that rare.
 *
 * @returns the keys of these blobs
 */
async function takeSnapshot(dataDir: string, staging: string): Promise<string[]> {
  const live = blobDirectory(dataDir);
  const copy = join(staging, DATABASE);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    for await (const { key } of diskBlobStore(live).list()) await linkBlob(live, staging, key);
    await rm(copy, { force: true });
    copyDatabase(databasePath(dataDir), copy);
    const named = readBlobs(copy, databasePath(dataDir));
    const present = await Promise.all(named.map(({ key }) => linkBlob(live, staging, key)));
    if (present.every(Boolean)) return named.map(({ key }) => key);
  }
  throw new Error('The data changed too fast for a consistent backup. Try again.');
}

/** Copies it in one read transaction. The page-by-page interface would restart after each write. */
function copyDatabase(from: string, to: string): void {
  const database = openSqliteFile(from);
  try {
    database.prepare('vacuum into ?').run(to);
  } finally {
    database.close();
  }
}

/** Links or copies a blob into the staging directory. @returns `false` if the blob was deleted */
async function linkBlob(live: string, staging: string, key: string): Promise<boolean> {
  const to = join(staging, BLOBS, key);
  if (existsSync(to)) return true;
  await mkdir(dirname(to), { recursive: true });
  try {
    await link(join(live, key), to).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw error;
      await copyFile(join(live, key), to);
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Restores a backup. Checks all of it before it replaces anything.
 *
 * @returns whether the backup had checksums; those of earlier versions have none
 * @throws Error if the backup is damaged or a newer version's, if the service is running, or if
 *   there is data and `replace` is not set
 */
export async function restore(
  dataDir: string,
  source: BackupSource,
  options: { replace: boolean },
): Promise<{ verified: boolean }> {
  requireThere(source);
  createDataDirectory(dataDir);
  // Fail early. Unpacking takes time, in which a service may start, so this is checked again below.
  await requireFree(dataDir, options.replace);
  return inStaging(dataDir, 'restore-', async (staging) => {
    const result = await unpackArchive(reading(source), staging, shown(source));
    await requireSound(staging, shown(source));
    await mkdir(join(staging, BLOBS), { recursive: true });
    await syncTree(staging);
    await withStartLock(dataDir, async () => {
      await requireFree(dataDir, options.replace);
      await putInPlace(dataDir, staging);
    });
    return result;
  });
}

/**
 * @throws Error if the service is running on the data, or if there is data and `replace` is not set
 */
async function requireFree(dataDir: string, replace: boolean): Promise<void> {
  const hasDatabase = existsSync(databasePath(dataDir));
  if (hasDatabase) requireUnused(databasePath(dataDir));
  if (replace) return;
  // Blobs without a database belong to one on a server.
  if (hasDatabase || (await holdsAnything(blobDirectory(dataDir)))) {
    throw new Error(`${dataDir} already has data. Use --force to replace it.`);
  }
}

async function holdsAnything(directory: string): Promise<boolean> {
  return existsSync(directory) && (await readdir(directory)).length > 0;
}

async function putInPlace(dataDir: string, staging: string): Promise<void> {
  const target = databasePath(dataDir);
  // SQLite would apply the old database's log to the new one.
  for (const suffix of ['-wal', '-shm']) await rm(target + suffix, { force: true });
  removeWordFile(dataDir);
  // Removing many blobs takes long; a rename is atomic. The staging directory is removed later.
  const replaced = join(staging, 'replaced');
  if (existsSync(blobDirectory(dataDir))) await rename(blobDirectory(dataDir), replaced);
  await rename(join(staging, BLOBS), blobDirectory(dataDir));
  await rename(join(staging, DATABASE), target);
  await sync(dataDir);
}

/**
 * @throws Error unless the directory has an undamaged database of this or an older version, and its
 *   blobs
 */
async function requireSound(staging: string, shownAs: string): Promise<void> {
  const path = join(staging, DATABASE);
  if (!existsSync(path)) throw new Error(`${shownAs} is no backup of Briefs.`);
  requireSoundDatabase(path, shownAs);
  for (const { key, sizeBytes } of readBlobs(path, shownAs)) {
    const found = await stat(join(staging, BLOBS, key)).catch(() => undefined);
    if (found?.size !== sizeBytes) throw new Error(`${shownAs} is damaged: ${key} is not whole.`);
  }
}

function requireSoundDatabase(path: string, shownAs: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const pragma = (name: string) => database.prepare(`pragma ${name}`).all();
    if (pragma('application_id')[0]?.application_id !== APPLICATION_ID) {
      throw new Error(`${shownAs} is no backup of Briefs.`);
    }
    if (pragma('integrity_check')[0]?.integrity_check !== 'ok' || pragma('foreign_key_check')[0]) {
      throw new Error(`${shownAs} is damaged.`);
    }
    requireKnown(appliedMigrations(database));
  } catch (error) {
    if (error instanceof Error && /not a database|malformed|no such table/.test(error.message)) {
      throw new Error(`${shownAs} is no backup of Briefs, or is damaged.`);
    }
    throw error;
  } finally {
    database.close();
  }
}

function appliedMigrations(database: DatabaseSync): string[] {
  return database
    .prepare('select name from kysely_migration')
    .all()
    .map(({ name }) => String(name));
}

/**
 * Reads the keys and sizes of the blobs that a database refers to. @throws Error for an invalid key
 */
function readBlobs(path: string, shownAs: string): { key: string; sizeBytes: number }[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const named = database
      .prepare(
        `select storage_path as key, size_bytes as sizeBytes from document
           where storage_path is not null
         union all select storage_path, size_bytes from trashed_document
           where storage_path is not null
         union all select storage_path, size_bytes from file
         union all select storage_path, stored_bytes from revision_text
           where storage_path is not null
         union all select storage_path, stored_bytes from proposal
           where storage_path is not null`,
      )
      .all() as { key: unknown; sizeBytes: number }[];
    return named.map(({ key, sizeBytes }) => {
      if (isBlobKey(key)) return { key, sizeBytes };
      throw new Error(`${shownAs} is damaged: it names ${JSON.stringify(key)} as stored content.`);
    });
  } finally {
    database.close();
  }
}

/** Tries to leave write-ahead logging, which fails while another process has the database open. */
function requireUnused(path: string): void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = delete');
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message)) {
      throw new Error('The service is running on this data. Stop it first.');
    }
    // A damaged database can be replaced.
  } finally {
    database.close();
  }
}

/**
 * Removes the directories of killed backups and restores. Their links keep deleted blobs on disk.
 */
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of (await readdir(dataDir)).filter((name) => STAGING.test(name))) {
    const path = join(dataDir, name);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isDirectory() || Date.now() - found.mtimeMs < ABANDONED_AFTER_MS) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** Runs `work` with a new directory in the data directory, so files can be linked and renamed. */
async function inStaging<T>(
  dataDir: string,
  prefix: string,
  work: (staging: string) => Promise<T>,
): Promise<T> {
  await removeLeftovers(dataDir);
  const staging = await mkdtemp(join(dataDir, prefix));
  try {
    return await work(staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true })) {
    await sync(join(directory, entry));
  }
  await sync(directory);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
