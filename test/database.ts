import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Opens the database of a data directory, in parallel with other users. The caller closes it. */
export function openDatabase(dataDir: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  return new DatabaseSync(join(dataDir, 'briefs.db'), { readOnly: true, ...options });
}

/**
 * Returns every row that a request could have written, by table, to compare before and after.
 * Leaves out what reads may change: renditions, times of last use, who is where, the search index, which
 * is updated later, and when migrations ran.
 */
export function databaseState(dataDir: string): Record<string, Record<string, unknown>[]> {
  const database = openDatabase(dataDir);
  try {
    const tables = database
      .prepare(
        `select name from pragma_table_list where schema = 'main' and type = 'table'
           and name not in ('sqlite_schema', 'rendition', 'search_pending', 'document_text', 'presence', 'instance_state')`,
      )
      .all() as { name: string }[];
    return Object.fromEntries(
      tables.map(({ name }) => [
        name,
        database
          .prepare(`select * from "${name}" order by 1`)
          .all()
          .map(({ lastUsedAt, timestamp, ...columns }) => columns),
      ]),
    );
  } finally {
    database.close();
  }
}
