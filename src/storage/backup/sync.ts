import { open } from 'node:fs/promises';

/** Makes sure that a file or a directory survives a power failure. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
