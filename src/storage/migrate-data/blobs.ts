import { createHash } from 'node:crypto';
import type { BlobStore } from '../blob/blob.ts';
import type { Reader } from '../sql/sql.ts';
import type { Progress } from './progress.ts';
import { readRows } from './rows.ts';
import { COPIED } from './tables.ts';

const AT_ONCE = 8;

/** The result of comparing the blobs that the rows refer to. */
export interface BlobComparison {
  count: number;
  /** Their total size at the source. */
  bytes: number;
  /** Keys that are missing at the target or have other content there. */
  differing: string[];
  /** Keys that are missing at the source: the blob was deleted after its row was read. */
  gone: string[];
}

/** Lists the blob keys in a database's rows. */
export async function* namedBlobs(reader: Reader): AsyncGenerator<string> {
  for (const table of COPIED) {
    const [, { key, blob }] = table;
    if (!blob) continue;
    for await (const row of readRows(reader, table, [...key, blob])) {
      if (row[blob] !== null) yield row[blob] as string;
    }
  }
}

/** Copies blobs that the target does not have. Skips those that the source no longer has. */
export async function copyBlobs(
  keys: AsyncGenerator<string>,
  source: BlobStore,
  target: BlobStore,
  progress: Progress,
): Promise<void> {
  progress.begin('listing blobs');
  const present = new Set<string>();
  for await (const { key } of target.list()) {
    present.add(key);
    progress.advance(1);
  }
  progress.begin('copying blobs');
  await forEach(keys, async (key) => {
    const bytes = present.has(key) ? undefined : await source.read(key);
    if (bytes) await target.write(key, bytes);
    progress.advance(1);
  });
}

/** Replaces the target's blobs by the source's. */
export async function replaceBlobs(
  keys: string[],
  source: BlobStore,
  target: BlobStore,
): Promise<void> {
  for (const key of keys) {
    const bytes = await source.read(key);
    if (!bytes) continue;
    // A store may refuse to overwrite a blob.
    await target.delete(key);
    await target.write(key, bytes);
  }
}

/** Reads every blob from both sides and compares them. */
export async function compareBlobs(
  keys: AsyncGenerator<string>,
  source: BlobStore,
  target: BlobStore,
  progress: Progress,
): Promise<BlobComparison> {
  progress.begin('checking blobs');
  const comparison: BlobComparison = { count: 0, bytes: 0, differing: [], gone: [] };
  await forEach(keys, async (key) => {
    const [ours, theirs] = await Promise.all([digest(source, key), digest(target, key)]);
    comparison.count++;
    comparison.bytes += ours?.bytes ?? 0;
    if (!ours) comparison.gone.push(key);
    else if (ours.bytes !== theirs?.bytes || ours.hash !== theirs.hash)
      comparison.differing.push(key);
    progress.advance(1);
  });
  return comparison;
}

async function digest(
  store: BlobStore,
  key: string,
): Promise<{ bytes: number; hash: string } | undefined> {
  const stream = await store.read(key);
  if (!stream) return undefined;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, hash: hash.digest('hex') };
}

/** Works on a few keys at a time. Rejects with the first error. */
async function forEach(
  keys: AsyncGenerator<string>,
  work: (key: string) => Promise<void>,
): Promise<void> {
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for await (const key of keys) await work(key);
  });
  await Promise.all(workers);
}
