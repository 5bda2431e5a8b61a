import { randomUUID } from 'node:crypto';
import { createWriteStream, type Dirent } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fromDisk } from '../disk-failure.ts';
import { onceASecond } from '../once-per-second.ts';
import { type BlobStore, BlobStoreUnavailable } from './blob.ts';
import { isBlobKey, requireBlobKey } from './blob-key.ts';
import { FileStream } from './file-stream.ts';

/** Marks a file that is still being written. */
const PARTIAL = '.partial';

/** Where blobs are, below the data directory. */
export function blobDirectory(dataDir: string): string {
  return join(dataDir, 'blobs');
}

/** Where a blob is below `root`; `undefined` for what is not a key, which could lead out of it. */
export function blobPath(root: string, key: string): string | undefined {
  return isBlobKey(key) ? join(root, key) : undefined;
}

/** Keeps each blob in a file below `root`, named by its key. */
export function diskBlobStore(root: string): BlobStore {
  return unavailableWhereItFails({
    async write(key, bytes) {
      requireBlobKey(key);
      const path = join(root, key);
      const partial = `${path}.${randomUUID()}${PARTIAL}`;
      await makeDirectory(dirname(path));
      try {
        // `flush` syncs the file before it closes; the rename is synced with its directory.
        await pipeline(bytes, createWriteStream(partial, { flags: 'wx', flush: true }));
        await rename(partial, path);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
      await syncDirectory(dirname(path));
    },

    async read(key, range) {
      const path = blobPath(root, key);
      const file = path && (await open(path).catch(ignoreMissing));
      // The open file stays readable to its end, even when the blob is deleted meanwhile.
      return file ? new FileStream(file, range) : undefined;
    },

    async delete(key) {
      const path = blobPath(root, key);
      if (path) await rm(path, { force: true });
    },

    ping: onceASecond(async () => {
      const path = join(await nearestDirectory(root), `ready.${randomUUID()}${PARTIAL}`);
      try {
        await writeFile(path, 'ready', { flush: true });
      } finally {
        await rm(path, { force: true });
      }
    }),

    async close() {},

    async *list() {
      for await (const entry of walk(root)) {
        const path = join(entry.parentPath, entry.name);
        const found = await stat(path).catch(ignoreMissing);
        const key = relative(root, path).split(sep).join('/');
        if (found && isBlobKey(key)) yield { key, writtenAt: found.mtime };
      }
    },
  });
}

/** Has a disk that fails look like any store that is away. */
function unavailableWhereItFails(store: BlobStore): BlobStore {
  const toUnavailable = (error: unknown) => fromDisk(error, BlobStoreUnavailable);
  const orUnavailable = <T>(work: Promise<T>) =>
    work.catch((error) => {
      throw toUnavailable(error);
    });
  return {
    write: (key, bytes) => orUnavailable(store.write(key, bytes)),
    async read(key, range) {
      const stream = await orUnavailable(store.read(key, range));
      return stream && withErrors(stream, toUnavailable);
    },
    delete: (key) => orUnavailable(store.delete(key)),
    ping: () => orUnavailable(store.ping()),
    close: () => store.close(),
    async *list() {
      try {
        yield* store.list();
      } catch (error) {
        throw toUnavailable(error);
      }
    },
  };
}

/** The same stream, which fails with what `change` makes of its errors. */
function withErrors(stream: Readable, change: (error: unknown) => unknown): Readable {
  const destroy = stream._destroy.bind(stream);
  stream._destroy = (error, callback) => destroy(error && (change(error) as Error), callback);
  return stream;
}

/** The files below a directory; unfinished ones too, so that a sweep can find them. */
async function* walk(root: string): AsyncIterable<Dirent> {
  const directory = await opendir(root, { recursive: true }).catch(ignoreMissing);
  if (!directory) return;
  for await (const entry of directory) if (entry.isFile()) yield entry;
}

/** A directory, or the first above it that there is: what is missing is made by the first write. */
async function nearestDirectory(path: string): Promise<string> {
  const found = await stat(path).catch(ignoreMissing);
  return found || dirname(path) === path ? path : nearestDirectory(dirname(path));
}

/** Makes a directory and what is above it, each on disk before anything is put into it. */
async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    await syncDirectory(dirname(made));
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
