import { createWriteStream, existsSync } from 'node:fs';
import { copyFile, link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { blobDirectory, diskBlobStore } from '../blob/disk.ts';
import { databasePath } from '../sql/sqlite-file.ts';
import { BLOBS, DATABASE, verifyArchive, writeArchive } from './archive.ts';
import { copyDatabase, readBlobs } from './database.ts';
import { type BackupSource, openSource, requireSource, sourceName } from './source.ts';
import { inStaging } from './staging.ts';
import { sync } from './sync.ts';

/** How many snapshots are tried. One fails if a blob is deleted meanwhile. */
const ATTEMPTS = 10;

/** A backup holds keys and private documents, so only its owner can read it. */
const OWNER_ONLY = 0o600;

/**
 * Writes a consistent copy of all data to a new file, even while the service writes. If it fails,
 * there is no file.
 *
 * @throws Error if there is no data, the file exists, or its folder does not
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
  requireSource(source);
  return verifyArchive(openSource(source), sourceName(source));
}

/**
 * Copies the database and links every blob that the copy refers to. Such a blob may be deleted
 * before it is linked; then all starts again. Linking all blobs before the copy makes that rare.
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
