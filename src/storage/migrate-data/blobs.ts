import { createHash } from 'node:crypto';
import type { BlobStore } from '../blob/blob.ts';
import type { Reader } from '../sql/sql.ts';
import type { Progress } from './progress.ts';
import { readRows } from './rows.ts';
import { CARRIED } from './tables.ts';

/** How many blobs are under way at a time. */
const AT_ONCE = 8;

/** What both sides have under the keys that rows name. */
export interface BlobComparison {
  /** How many the rows name. */
  count: number;
  /** What they come to at the source. */
  bytes: number;
  /** Keys under which the target has nothing or something else. */
  differing: string[];
  /** Keys under which the source has nothing: the page was replaced since its row was read. */
  gone: string[];
}

/** The keys that the rows of a database name. */
export async function* namedBlobs(reader: Reader): AsyncGenerator<string> {
  for (const table of CARRIED) {
    const [, { key, blob }] = table;
    if (!blob) continue;
    for await (const row of readRows(reader, table, [...key, blob])) {
      if (row[blob] !== null) yield row[blob] as string;
    }
  }
}

/** Writes what the target has nothing for. What the source does not have either is left out. */
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

/** Puts the source's blobs in the place of others that the target has under their keys. */
export async function replaceBlobs(
  keys: string[],
  source: BlobStore,
  target: BlobStore,
): Promise<void> {
  for (const key of keys) {
    const bytes = await source.read(key);
    if (!bytes) continue;
    // What is stored under a key never changes, so a store need not let it be overwritten.
    await target.delete(key);
    await target.write(key, bytes);
  }
}

/** Reads every blob back from both sides. */
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

/** Works on a few at a time; the first failure ends it. */
async function forEach(
  keys: AsyncGenerator<string>,
  work: (key: string) => Promise<void>,
): Promise<void> {
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for await (const key of keys) await work(key);
  });
  await Promise.all(workers);
}
