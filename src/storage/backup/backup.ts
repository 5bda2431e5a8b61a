import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { BlobStore } from '../blob/blob.ts';
import { knownMigrations } from '../sql/migrate.ts';
import type { TableSchema } from '../sql/schema.ts';
import type { Reader, Sql } from '../sql/sql.ts';
import { ArchiveWriter, blobPath, rowsPath, verifyArchive } from './archive.ts';
import { carriedTables, type NamedBlob, namedBlobs, readLines } from './rows.ts';
import { type BackupSource, openSource, requireSource, sourceName } from './source.ts';
import { sync } from './sync.ts';

/** How many snapshots are tried. One fails if a blob is deleted meanwhile. */
const ATTEMPTS = 10;

/** How many blobs to read at once; each has at most some 10 MB. */
const BLOBS_AT_ONCE = 8;

/** A backup holds keys and private documents, so only its owner can read it. */
const OWNER_ONLY = 0o600;

/** What is backed up. */
export interface Backends {
  sql: Sql;
  blobs: BlobStore;
  /** The version of Briefs. */
  version: string;
}

/** The result of a backup. */
export interface BackedUp {
  /** The keys of blobs that rows refer to, but that the blob store has lost. */
  lost: ReadonlySet<string>;
}

/**
 * Writes a consistent copy of all data to a new file, even while the service writes. If it fails,
 * there is no file.
 *
 * @throws Error if the file exists, or its folder does not
 */
export async function backUp(from: Backends, file: string): Promise<BackedUp> {
  const target = resolve(file);
  requireNewFile(file);
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  const out = createWriteStream(partial, { flags: 'wx', mode: OWNER_ONLY });
  try {
    const result = await backUpTo(from, out);
    out.end();
    await finished(out);
    await sync(partial);
    await rename(partial, target);
    await sync(dirname(target));
    return result;
  } catch (error) {
    out.destroy();
    await rm(partial, { force: true });
    throw error;
  }
}

/** @throws Error if the file exists, or its folder does not */
export function requireNewFile(file: string): void {
  const target = resolve(file);
  if (existsSync(target)) throw new Error(`${file} already exists.`);
  if (!existsSync(dirname(target))) throw new Error(`There is no folder ${dirname(target)}.`);
}

/**
 * Writes a consistent copy of all data to a stream, even while the service writes. Does not end the
 * stream.
 */
export async function backUpTo(
  { sql, blobs, version }: Backends,
  out: Writable,
): Promise<BackedUp> {
  const tables = await carriedTables();
  const archive = new ArchiveWriter(out);
  await archive.begin({
    version,
    migrations: knownMigrations(),
    createdAt: new Date().toISOString(),
  });
  const copier = blobCopier(blobs, archive);
  // Before the snapshot, so that few blobs are left to be deleted while it is open.
  let missing = await copier.copy(namedBlobs(sql.read, tables));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const done = await sql.snapshot(async (reader) => {
      const stillMissing = await copier.copy(namedBlobs(reader, tables));
      // One that was missing before and has a row again has not just been deleted.
      const isSettled = [...stillMissing].every((key) => missing.has(key));
      missing = stillMissing;
      if (isSettled) await copyRows(reader, tables, archive);
      return isSettled;
    });
    if (!done) continue;
    await archive.end(missing);
    return { lost: missing };
  }
  throw new Error('The data changed too fast for a consistent backup. Try again.');
}

/** Adds blobs to an archive, each once. */
function blobCopier(blobs: BlobStore, archive: ArchiveWriter) {
  const copied = new Set<string>();

  async function read({ key, sizeBytes }: NamedBlob): Promise<[string, Buffer | undefined]> {
    const stream = await blobs.read(key);
    const bytes = stream && (await buffer(stream));
    return [key, bytes?.length === sizeBytes ? bytes : undefined];
  }

  return {
    /** @returns the keys of those that the store doesn't have, or has with another size */
    async copy(named: AsyncGenerator<NamedBlob[]>): Promise<Set<string>> {
      const missing = new Set<string>();
      for await (const all of named) {
        const left = all.filter(({ key }) => !copied.has(key));
        for (let start = 0; start < left.length; start += BLOBS_AT_ONCE) {
          const found = await Promise.all(left.slice(start, start + BLOBS_AT_ONCE).map(read));
          for (const [key, bytes] of found) {
            if (!bytes) {
              missing.add(key);
              continue;
            }
            await archive.add(blobPath(key), bytes);
            copied.add(key);
          }
        }
      }
      return missing;
    },
  };
}

async function copyRows(
  reader: Reader,
  tables: readonly TableSchema[],
  archive: ArchiveWriter,
): Promise<void> {
  for (const table of tables) {
    let number = 0;
    for await (const lines of readLines(reader, table)) {
      await archive.add(rowsPath(table.name, ++number), lines);
    }
  }
}

/**
 * Compares a backup with its checksums. Writes nothing.
 *
 * @returns the number of entries and their total size in bytes
 * @throws Error if an entry is damaged, with its name
 */
export async function verifyBackup(
  source: BackupSource,
): Promise<{ files: number; bytes: number }> {
  requireSource(source);
  const { entries } = await verifyArchive(openSource(source), sourceName(source));
  const bytes = [...entries.values()].reduce((sum, { size }) => sum + size, 0);
  return { files: entries.size, bytes };
}
