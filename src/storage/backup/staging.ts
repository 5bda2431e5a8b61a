import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Matches the names that `mkdtemp` gives working directories. */
const STAGING = /^(backup|restore)-\w{6}$/;

/** Longer than any backup or restore takes. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/** Runs `work` with a new directory in the data directory, so files can be linked and renamed. */
export async function inStaging<T>(
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
