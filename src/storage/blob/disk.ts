import { randomUUID } from 'node:crypto';
import { createWriteStream, type Dirent } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toDiskError } from '../disk-failure.ts';
import { oncePerSecond } from '../once-per-second.ts';
import { type BlobStore, BlobStoreUnavailable } from './blob.ts';
import { isBlobKey, requireBlobKey } from './blob-key.ts';
import { FileStream } from './file-stream.ts';

/** Marks a file that is still being written. */
const PARTIAL = '.partial';

export function blobDirectory(dataDir: string): string {
  return join(dataDir, 'blobs');
}

/** Returns the path of a blob; `undefined` for an invalid key, which could lead out of `root`. */
function blobPath(root: string, key: string): string | undefined {
  return isBlobKey(key) ? join(root, key) : undefined;
}

/** Stores each blob as a file in `root`, named by its key. */
export function diskBlobStore(root: string): BlobStore {
  return withDiskErrors({
    async write(key, bytes) {
      requireBlobKey(key);
      const path = join(root, key);
      const partial = `${path}.${randomUUID()}${PARTIAL}`;
      await createDirectory(dirname(path));
      try {
        // `flush` syncs the file. The rename is durable once its directory is synced.
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
      // An open file stays readable even if the blob is deleted meanwhile.
      return file ? new FileStream(file, range) : undefined;
    },

    async delete(key) {
      const path = blobPath(root, key);
      if (path) await rm(path, { force: true });
    },

    ping: oncePerSecond(async () => {
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

/** Turns disk errors into {@link BlobStoreUnavailable}. */
function withDiskErrors(store: BlobStore): BlobStore {
  const toUnavailable = (error: unknown) => toDiskError(error, BlobStoreUnavailable);
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

/** Makes a stream pass its errors through `change`. */
function withErrors(stream: Readable, change: (error: unknown) => unknown): Readable {
  const destroy = stream._destroy.bind(stream);
  stream._destroy = (error, callback) => destroy(error && (change(error) as Error), callback);
  return stream;
}

/** Lists all files below a directory, including unfinished ones, so that a sweep can find them. */
async function* walk(root: string): AsyncIterable<Dirent> {
  const directory = await opendir(root, { recursive: true }).catch(ignoreMissing);
  if (!directory) return;
  for await (const entry of directory) if (entry.isFile()) yield entry;
}

/** Returns the directory or its nearest existing parent. The first write creates missing ones. */
async function nearestDirectory(path: string): Promise<string> {
  const found = await stat(path).catch(ignoreMissing);
  return found || dirname(path) === path ? path : nearestDirectory(dirname(path));
}

/** Creates a directory and its parents, and syncs each. */
async function createDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let created = path; created.length >= first.length; created = dirname(created)) {
    await syncDirectory(dirname(created));
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
