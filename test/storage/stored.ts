import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Every file of a data directory's blob store, including unfinished ones, as sorted keys. */
export function storedBlobs(dataDir: string): string[] {
  const root = join(dataDir, 'blobs');
  try {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The bytes of one blob, read from the disk. */
export function storedBytes(dataDir: string, key: string): Buffer {
  return readFileSync(join(dataDir, 'blobs', key));
}

/** The keys that rows name, sorted. */
export function namedBlobs(dataDir: string): string[] {
  const database = new DatabaseSync(join(dataDir, 'briefs.db'), { readOnly: true });
  try {
    const rows = database
      .prepare(
        `select "storagePath" as key from stored_document where "storagePath" is not null
         union all select "storagePath" from file
         union all select "storagePath" from revision_text where "storagePath" is not null
         union all select "storagePath" from proposal where "storagePath" is not null`,
      )
      .all() as { key: string }[];
    return rows.map(({ key }) => key).sort();
  } finally {
    database.close();
  }
}
