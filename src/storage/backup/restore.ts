import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '../blob/blob.ts';
import { capabilitiesOf } from '../sql/dialect.ts';
import { runMigrations, unknownMigrations } from '../sql/migrate.ts';
import { describeTables } from '../sql/schema.ts';
import type { PostgresLocation, Writer } from '../sql/sql.ts';
import { createSqliteFile } from '../sql/sqlite.ts';
import { databasePath } from '../sql/sqlite-file.ts';
import { createDataDirectory, withStartLock } from '../start-lock.ts';
import { removeWordFile } from '../word-index/sqlite-word-file.ts';
import {
  type Contents,
  type Entry,
  keyIn,
  readVerified,
  tableIn,
  verifyArchive,
} from './archive.ts';
import { carriedTables, insertLines, NOT_CARRIED, queueForSearch } from './rows.ts';
import { type BackupSource, requireSource, sourceName } from './source.ts';
import { sync } from './sync.ts';

const PREFIX = 'briefs-restore-';

/** Matches the names that `mkdtemp` gives working directories. */
const STAGING = /^briefs-restore-\w{6}$/;

/** Longer than any restore takes. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/** Runs `work` with a new directory in a folder, from where files can be renamed into the folder. */
async function inStaging<T>(folder: string, work: (staging: string) => Promise<T>): Promise<T> {
  await removeLeftovers(folder);
  const staging = await mkdtemp(join(folder, PREFIX));
  try {
    return await work(staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Removes the directories of killed restores. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((name) => STAGING.test(name))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isDirectory() || Date.now() - found.mtimeMs < ABANDONED_AFTER_MS) continue;
    // Another user's, in a folder that several use, stays.
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** How many blobs to write at once; each has at most some 10 MB. */
const BLOBS_AT_ONCE = 8;

/** Where a backup is restored to. */
export interface RestoreTarget {
  /** The folder of the embedded database, and of its blobs. */
  dataDir: string;
  /** `undefined` for the embedded database. */
  database: PostgresLocation | undefined;
  blobs: BlobStore;
  /** What to call it in errors. */
  shownAs: string;
}

export interface Restored {
  /** The keys of blobs that rows refer to, but that were missing when the backup was made. */
  lost: ReadonlySet<string>;
}

/** A verified archive in a file. */
interface Archive {
  file: string;
  shownAs: string;
  contents: Contents;
}

/**
 * Restores a backup of this version or an older one, whichever back ends it is from. Checks all of
 * it before it replaces anything. Rows appear at once, after the blobs that they refer to.
 *
 * @throws Error if the backup is damaged or another version's, if the service is running on the
 *   embedded database, or if there is data and `replace` is not set
 */
export async function restore(
  target: RestoreTarget,
  source: BackupSource,
  { replace }: { replace: boolean },
): Promise<Restored> {
  requireSource(source);
  if (!target.database) createDataDirectory(target.dataDir);
  // Fail early. What follows takes time, in which a service may start, so this is checked again.
  await requireFree(target, replace);
  const folder = target.database ? tmpdir() : target.dataDir;
  return inStaging(folder, async (staging) => {
    const archive = await openArchive(source, staging);
    if (target.database) await restoreOnServer(target, target.database, archive, replace);
    else await restoreInFile(target, staging, archive, replace);
    return { lost: archive.contents.lost };
  });
}

/** Verifies a backup, which has to be in a file, because it is read several times. */
async function openArchive(source: BackupSource, staging: string): Promise<Archive> {
  const shownAs = sourceName(source);
  const file = typeof source === 'string' ? source : join(staging, 'archive');
  if (typeof source !== 'string') await pipeline(source, createWriteStream(file));
  const contents = await verifyArchive(createReadStream(file), shownAs);
  const unknown = unknownMigrations(contents.origin.migrations);
  if (unknown.length === 0) return { file, shownAs, contents };
  throw new Error(
    `${shownAs} is of another version of Briefs (it has ${unknown.join(', ')}). Restore it with a newer ` +
      'version. Backups from before 1.0.0 cannot be read.',
  );
}

async function restoreInFile(
  target: RestoreTarget,
  staging: string,
  archive: Archive,
  replace: boolean,
): Promise<void> {
  const { dataDir } = target;
  const created = join(staging, 'briefs.db');
  let named = new Set<string>();
  await createSqliteFile(created, async (tx) => {
    named = await createRows(tx, archive);
  });
  await sync(created);
  await withStartLock(dataDir, async () => {
    await requireFree(target, replace);
    await writeBlobs(target.blobs, archive, named);
    // SQLite would apply the old database's log to the new one.
    for (const suffix of ['-wal', '-shm'])
      await rm(databasePath(dataDir) + suffix, { force: true });
    removeWordFile(dataDir);
    await rename(created, databasePath(dataDir));
    await sync(dataDir);
    await removeOtherBlobs(target.blobs, named);
  });
}

async function restoreOnServer(
  target: RestoreTarget,
  database: PostgresLocation,
  archive: Archive,
  replace: boolean,
): Promise<void> {
  const { rebuildPostgres } = await import('../sql/postgres.ts');
  let named = new Set<string>();
  await rebuildPostgres(database, await allTables(), { mustBeEmpty: !replace }, async (tx) => {
    named = await createRows(tx, archive);
    await writeBlobs(target.blobs, archive, named);
  });
  await removeOtherBlobs(target.blobs, named);
}

/**
 * @throws Error if the service is running on the embedded database, or if there is data and
 *   `replace` is not set
 */
async function requireFree(target: RestoreTarget, replace: boolean): Promise<void> {
  const { database, dataDir, blobs, shownAs } = target;
  const hasDatabase = !database && existsSync(databasePath(dataDir));
  if (hasDatabase) requireUnused(databasePath(dataDir));
  if (replace) return;
  // Blobs without a database may belong to one elsewhere.
  if (hasDatabase || (await hasRows(database)) || (await hasAny(blobs))) {
    throw new Error(`${shownAs} already has data. Use --force to replace it.`);
  }
}

async function hasRows(database: PostgresLocation | undefined): Promise<boolean> {
  if (!database) return false;
  const { postgresHasRows } = await import('../sql/postgres.ts');
  return postgresHasRows(database, await allTables());
}

async function hasAny(blobs: BlobStore): Promise<boolean> {
  for await (const _ of blobs.list()) return true;
  return false;
}

/** Returns the names of all our tables on PostgreSQL. */
async function allTables(): Promise<string[]> {
  const names = (await describeTables()).map(({ name }) => name);
  return [...new Set([...names, ...Object.keys(NOT_CARRIED)])];
}

/**
 * Leaves write-ahead logging, which only works while no other process has the database open.
 *
 * @throws Error if another process has it open
 */
function requireUnused(path: string): void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = delete');
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message)) {
      throw new Error('The service is running on this data. Stop it first.');
    }
    // A damaged database can be replaced.
  } finally {
    database.close();
  }
}

/**
 * Creates the schema that the backup's rows are of, inserts them, and migrates them to this
 * version's schema.
 *
 * @returns the keys of the blobs that rows refer to and that the backup has
 */
async function createRows(tx: Writer, archive: Archive): Promise<Set<string>> {
  const { file, shownAs, contents } = archive;
  const last = contents.origin.migrations.at(-1) as string;
  const tables = new Map((await carriedTables(last)).map((table) => [table.name, table]));
  await runMigrations(tx, last);
  const named = new Set<string>();
  const isRows = (path: string) => tableIn(path) !== undefined;
  const entries = readVerified(createReadStream(file), shownAs, contents, isRows);
  for await (const { path, bytes } of entries) {
    const table = tables.get(tableIn(path) as string);
    if (!table) throw new Error(`${shownAs} contains "${path}", which isn’t part of a backup.`);
    for (const blob of await insertLines(tx, table, bytes, `${shownAs}: ${path}`)) {
      if (contents.lost.has(blob.key)) continue;
      const size = contents.entries.get(`blobs/${blob.key}`)?.size;
      if (size !== blob.sizeBytes) {
        throw new Error(`${shownAs} is damaged: ${blob.key} is incomplete.`);
      }
      named.add(blob.key);
    }
  }
  const broken = await capabilitiesOf(tx).brokenReferences(tx);
  if (broken.length > 0) {
    throw new Error(`${shownAs} is damaged: rows of ${broken[0]} refer to missing ones.`);
  }
  await runMigrations(tx);
  await queueForSearch(tx);
  return named;
}

/** Writes those blobs of a backup that rows refer to. */
async function writeBlobs(
  blobs: BlobStore,
  { file, shownAs, contents }: Archive,
  named: ReadonlySet<string>,
): Promise<void> {
  const present = new Set<string>();
  for await (const { key } of blobs.list()) present.add(key);
  const isNamed = (path: string) => named.has(keyIn(path) ?? '');
  const write = async ({ path, bytes }: Entry) => {
    const key = keyIn(path) as string;
    // A store may refuse to overwrite a blob.
    if (present.has(key)) await blobs.delete(key);
    await blobs.write(key, Readable.from([bytes]));
  };
  let batch: Entry[] = [];
  for await (const entry of readVerified(createReadStream(file), shownAs, contents, isNamed)) {
    batch.push(entry);
    if (batch.length < BLOBS_AT_ONCE) continue;
    await Promise.all(batch.map(write));
    batch = [];
  }
  await Promise.all(batch.map(write));
}

async function removeOtherBlobs(blobs: BlobStore, named: ReadonlySet<string>): Promise<void> {
  for await (const { key } of blobs.list()) if (!named.has(key)) await blobs.delete(key);
}
