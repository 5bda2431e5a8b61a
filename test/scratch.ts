import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** More space than all tests need at once. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Makes a temporary folder in memory the one that this process and its children use, where the
 * system offers one and `TMPDIR` names no other. Only the durability suite tests disks; the
 * other tests would spend much of their time waiting for one.
 *
 * @returns a function that deletes the folder
 */
export function useMemoryForFiles(): () => void {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return () => {};
  const folder = mkdtempSync(join(MEMORY, 'briefs-'));
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}
