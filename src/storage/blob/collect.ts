import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The part of an upload to buffer in memory. */
const MEMORY_BYTES = 256 * 1024;

/**
 * @throws Error with one line that begins with `BLOB_URL:` if the folder for temporary files is not
 *   writable
 */
export async function requireTemporaryFolder(): Promise<void> {
  try {
    await rm(await mkdtemp(join(tmpdir(), 'briefs-')), { recursive: true });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(
      `BLOB_URL: uploads wait in ${tmpdir()}, which cannot be written (${code}); set TMPDIR.`,
      { cause },
    );
  }
}

/**
 * Reads a whole stream. A slow upload holds little memory: all but its start waits in a temporary
 * file.
 */
export async function collect(bytes: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const pieces: AsyncIterator<Buffer> = bytes[Symbol.asyncIterator]();
  while (length <= MEMORY_BYTES) {
    const { done, value } = await pieces.next();
    if (done) return Buffer.concat(chunks);
    chunks.push(value);
    length += value.length;
  }
  const directory = await mkdtemp(join(tmpdir(), 'briefs-'));
  try {
    const path = join(directory, 'upload');
    const rest = { [Symbol.asyncIterator]: () => pieces };
    await pipeline(rest, createWriteStream(path));
    return Buffer.concat([...chunks, await readFile(path)]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
