import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'briefs-restore-';

/** Matches the names that `mkdtemp` gives working directories. */
const STAGING = /^briefs-restore-\w{6}$/;

/** Longer than any restore takes. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/** Runs `work` with a new directory in a folder, from where files can be renamed into the folder. */
export async function inStaging<T>(
  folder: string,
  work: (staging: string) => Promise<T>,
): Promise<T> {
  await removeLeftovers(folder);
  const staging = await mkdtemp(join(folder, PREFIX));
  try {
    return await work(staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Removes the directories of killed restores. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((name) => STAGING.test(name))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isDirectory() || Date.now() - found.mtimeMs < ABANDONED_AFTER_MS) continue;
    // Another user's, in a folder that several use, stays.
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
