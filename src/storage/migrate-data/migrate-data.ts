import type { BlobStore } from '../blob/blob.ts';
import type { Reader, Sql } from '../sql/sql.ts';
import { type BlobComparison, compareBlobs, copyBlobs, namedBlobs, replaceBlobs } from './blobs.ts';
import { compareRows, type TableComparison } from './compare-rows.ts';
import { copyRows } from './copy-rows.ts';
import type { Progress } from './progress.ts';
import { untyped } from './rows.ts';
import { CARRIED } from './tables.ts';

/** The back ends of an installation. */
export interface Installation {
  sql: Sql;
  blobs: BlobStore;
}

export interface MigrateDataOptions {
  /** What is carried; what both installations share is not. */
  rows: boolean;
  blobs: boolean;
  /** Whether the target may have rows already: it is made a copy of the source whatever it has. */
  resume: boolean;
  progress: Progress;
}

/** How the two compare at the end; `undefined` what was not carried. */
export interface MigratedData {
  tables: TableComparison[] | undefined;
  blobs: BlobComparison | undefined;
}

/**
 * Carries all data of one installation to another: all rows as they are at one moment, then the
 * blobs that these rows name; and reads all of it back from both. The source may be in use, the
 * target may not.
 *
 * @throws Error when the target has rows and `resume` is not set
 */
export async function migrateData(
  source: Installation,
  target: Installation,
  options: MigrateDataOptions,
): Promise<MigratedData> {
  if (options.rows && !options.resume) await requireEmpty(target.sql.read);
  return {
    tables: options.rows ? await carryRows(source.sql, target.sql, options.progress) : undefined,
    blobs: options.blobs ? await carryBlobs(source.blobs, target, options.progress) : undefined,
  };
}

async function requireEmpty(target: Reader): Promise<void> {
  for (const [name] of CARRIED) {
    const row = await untyped(target).selectFrom(name).selectAll().limit(1).executeTakeFirst();
    if (!row) continue;
    throw new Error(
      `The target has data already (in ${name}); --resume makes it a copy of the source, ` +
        'and removes what the source does not have.',
    );
  }
}

function carryRows(source: Sql, target: Sql, progress: Progress): Promise<TableComparison[]> {
  return source.snapshot(async (reader) => {
    await copyRows(reader, target, progress);
    return compareRows(reader, target.read, progress);
  });
}

/** The rows are the target's: the source's may name other blobs by now. */
async function carryBlobs(
  source: BlobStore,
  { sql, blobs }: Installation,
  progress: Progress,
): Promise<BlobComparison> {
  await copyBlobs(namedBlobs(sql.read), source, blobs, progress);
  const first = await compareBlobs(namedBlobs(sql.read), source, blobs, progress);
  if (first.differing.length === 0) return first;
  // Under the right keys, and yet not the same: from elsewhere, or damaged.
  await replaceBlobs(first.differing, source, blobs);
  return compareBlobs(namedBlobs(sql.read), source, blobs, progress);
}
