import type { Context } from '../../core/context.ts';
import { findNamedBlobs } from './blob-reference-store.ts';

/** A younger blob may belong to a request in progress. */
export const SWEEP_AFTER_MS = 60 * 60_000;

const BATCH = 500;

/**
 * Deletes orphaned blobs. A process leaves them if it dies between writing a blob and its row, or
 * between updating a row and deleting its old blob.
 *
 * @param olderThanMs the minimum age of the blobs to check
 * @returns how many were deleted
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
