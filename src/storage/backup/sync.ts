import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes sure that a file or a directory survives a power failure. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs a directory with everything below it. */
export async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true })) {
    await sync(join(directory, entry));
  }
  await sync(directory);
}
