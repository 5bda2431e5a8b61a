import type { BlobStore } from '../blob/blob.ts';
import type { Reader, Sql } from '../sql/sql.ts';
import { type BlobComparison, compareBlobs, copyBlobs, namedBlobs, replaceBlobs } from './blobs.ts';
import { compareRows, type TableComparison } from './compare-rows.ts';
import { copyRows } from './copy-rows.ts';
import type { Progress } from './progress.ts';
import { untyped } from './rows.ts';
import { COPIED } from './tables.ts';

/** The back ends of an installation. */
export interface Installation {
  sql: Sql;
  blobs: BlobStore;
}

export interface MigrateDataOptions {
  /** False if both installations share the database. */
  rows: boolean;
  /** False if both installations share the blob store. */
  blobs: boolean;
  /** Accepts a target that has rows, and replaces them. */
  resume: boolean;
  progress: Progress;
}

/** The final comparison; `undefined` for what was not copied. */
export interface MigratedData {
  tables: TableComparison[] | undefined;
  blobs: BlobComparison | undefined;
}

/**
 * Copies all data of one installation to another: a snapshot of all rows, then their blobs. Then
 * reads everything from both sides and compares it. The source can be in use; the target must not.
 *
 * @throws Error if the target has rows and `resume` is not set
 */
export async function migrateData(
  source: Installation,
  target: Installation,
  options: MigrateDataOptions,
): Promise<MigratedData> {
  if (options.rows && !options.resume) await requireEmpty(target.sql.read);
  return {
    tables: options.rows
      ? await copyAndCompareRows(source.sql, target.sql, options.progress)
      : undefined,
    blobs: options.blobs
      ? await copyAndCompareBlobs(source.blobs, target, options.progress)
      : undefined,
  };
}

async function requireEmpty(target: Reader): Promise<void> {
  for (const [name] of COPIED) {
    const row = await untyped(target).selectFrom(name).selectAll().limit(1).executeTakeFirst();
    if (!row) continue;
    throw new Error(
      `The target already has data (in ${name}). Use --resume to make it a copy of the source; ` +
        'this deletes what the source does not have.',
    );
  }
}

function copyAndCompareRows(
  source: Sql,
  target: Sql,
  progress: Progress,
): Promise<TableComparison[]> {
  return source.snapshot(async (reader) => {
    await copyRows(reader, target, progress);
    return compareRows(reader, target.read, progress);
  });
}

/** Reads keys from the target's rows, because the source's may have changed since the snapshot. */
async function copyAndCompareBlobs(
  source: BlobStore,
  { sql, blobs }: Installation,
  progress: Progress,
): Promise<BlobComparison> {
  await copyBlobs(namedBlobs(sql.read), source, blobs, progress);
  const first = await compareBlobs(namedBlobs(sql.read), source, blobs, progress);
  if (first.differing.length === 0) return first;
  // These keys exist at the target with other content, for example damaged.
  await replaceBlobs(first.differing, source, blobs);
  return compareBlobs(namedBlobs(sql.read), source, blobs, progress);
}
