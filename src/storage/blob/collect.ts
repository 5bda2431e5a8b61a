import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Below this, a stream is kept in memory while it comes. */
const KEPT_IN_MEMORY = 256 * 1024;

/** @throws Error unless there is a place for temporary files */
export async function requireTemporaryPlace(): Promise<void> {
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
 * All that a stream gives. Until it has come, however long that takes, only its beginning is held
 * in memory and the rest in a temporary file.
 */
export async function collect(bytes: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const pieces: AsyncIterator<Buffer> = bytes[Symbol.asyncIterator]();
  while (length <= KEPT_IN_MEMORY) {
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
