import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { blobDirectory } from '../blob/disk.ts';
import { databasePath } from '../sql/sqlite-file.ts';
import { createDataDirectory, withStartLock } from '../start-lock.ts';
import { removeWordFile } from '../word-index/sqlite-word-file.ts';
import { BLOBS, DATABASE, unpackArchive } from './archive.ts';
import { readBlobs, requireSoundDatabase, requireUnused } from './database.ts';
import { type BackupSource, openSource, requireSource, sourceName } from './source.ts';
import { inStaging } from './staging.ts';
import { sync, syncTree } from './sync.ts';

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
  requireSource(source);
  createDataDirectory(dataDir);
  // Fail early. Unpacking takes time, in which a service may start, so this is checked again below.
  await requireFree(dataDir, options.replace);
  return inStaging(dataDir, 'restore-', async (staging) => {
    const result = await unpackArchive(openSource(source), staging, sourceName(source));
    await requireSound(staging, sourceName(source));
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

/**
 * @throws Error unless the directory has an undamaged database of this or an older version, and its
 *   blobs
 */
async function requireSound(staging: string, shownAs: string): Promise<void> {
  const path = join(staging, DATABASE);
  if (!existsSync(path)) throw new Error(`${shownAs} isn’t a Briefs backup.`);
  requireSoundDatabase(path, shownAs);
  for (const { key, sizeBytes } of readBlobs(path, shownAs)) {
    const found = await stat(join(staging, BLOBS, key)).catch(() => undefined);
    if (found?.size !== sizeBytes) throw new Error(`${shownAs} is damaged: ${key} is incomplete.`);
  }
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
