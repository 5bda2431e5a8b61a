import { DatabaseSync } from 'node:sqlite';
import { isBlobKey } from '../blob/blob-key.ts';
import { requireKnown } from '../sql/migrate.ts';
import { APPLICATION_ID, openSqliteFile } from '../sql/sqlite-file.ts';

/**
 * Copies a database in one read transaction. The page-by-page interface would restart after each
 * write.
 */
export function copyDatabase(from: string, to: string): void {
  const database = openSqliteFile(from);
  try {
    database.prepare('vacuum into ?').run(to);
  } finally {
    database.close();
  }
}

/**
 * Reads the keys and sizes of the blobs that a database refers to.
 *
 * @param shownAs the database's name in errors
 * @throws Error for an invalid key
 */
export function readBlobs(path: string, shownAs: string): { key: string; sizeBytes: number }[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const named = database
      .prepare(
        `select storage_path as key, size_bytes as sizeBytes from document
           where storage_path is not null
         union all select storage_path, size_bytes from trashed_document
           where storage_path is not null
         union all select storage_path, size_bytes from file
         union all select storage_path, stored_bytes from revision_text
           where storage_path is not null
         union all select storage_path, stored_bytes from proposal
           where storage_path is not null`,
      )
      .all() as { key: unknown; sizeBytes: number }[];
    return named.map(({ key, sizeBytes }) => {
      if (isBlobKey(key)) return { key, sizeBytes };
      throw new Error(`${shownAs} is damaged: it names ${JSON.stringify(key)} as stored content.`);
    });
  } finally {
    database.close();
  }
}

/**
 * Leaves write-ahead logging, which only works while no other process has the database open.
 *
 * @throws Error if another process has it open
 */
export function requireUnused(path: string): void {
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

export function requireSoundDatabase(path: string, shownAs: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const pragma = (name: string) => database.prepare(`pragma ${name}`).all();
    if (pragma('application_id')[0]?.application_id !== APPLICATION_ID) {
      throw new Error(`${shownAs} isn’t a Briefs backup.`);
    }
    if (pragma('integrity_check')[0]?.integrity_check !== 'ok' || pragma('foreign_key_check')[0]) {
      throw new Error(`${shownAs} is damaged.`);
    }
    requireKnown(appliedMigrations(database));
  } catch (error) {
    if (error instanceof Error && /not a database|malformed|no such table/.test(error.message)) {
      throw new Error(`${shownAs} isn’t a Briefs backup, or is damaged.`);
    }
    throw error;
  } finally {
    database.close();
  }
}

function appliedMigrations(database: DatabaseSync): string[] {
  return database
    .prepare('select name from kysely_migration')
    .all()
    .map(({ name }) => String(name));
}
