import type { Context } from '../context.ts';
import { findNamedBlobs } from './blob-reference-store.ts';

/** Younger blobs may belong to a request that is still under way. */
export const SWEEP_AFTER_MS = 60 * 60_000;

const BATCH = 500;

/**
 * Removes blobs that no row names: what is left behind when a process dies between storing bytes
 * and naming them, or between naming others and removing these.
 *
 * @param olderThanMs how old a blob must be to be looked at
 * @returns how many were removed
 */
export async function sweepBlobs(context: Context, olderThanMs: number): Promise<number> {
  const before = Date.parse(context.now()) - olderThanMs;
  let removed = 0;
  let batch: string[] = [];
  const sweep = async () => {
    const named = await findNamedBlobs(context.sql.read, batch);
    for (const key of batch) {
      if (named.has(key)) continue;
      await context.blobs.delete(key);
      removed++;
    }
    batch = [];
  };
  for await (const { key, writtenAt } of context.blobs.list()) {
    if (writtenAt.getTime() > before) continue;
    batch.push(key);
    if (batch.length === BATCH) await sweep();
  }
  if (batch.length > 0) await sweep();
  return removed;
}
