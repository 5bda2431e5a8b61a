import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The database of a data directory, beside whoever else has it open. Closed by the caller. */
export function openDatabase(dataDir: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  return new DatabaseSync(join(dataDir, 'briefs.db'), { readOnly: true, ...options });
}

/**
 * Every row that a request could have written, by table, to be compared before and after. Left out
 * is what reading alone may change, pages made of documents and when tokens were last used, and the
 * index of their words, which follows the documents in its own time.
 */
export function databaseState(dataDir: string): Record<string, Record<string, unknown>[]> {
  const database = openDatabase(dataDir);
  try {
    const tables = database
      .prepare(
        `select name from pragma_table_list where schema = 'main' and type = 'table'
           and name not in ('sqlite_schema', 'rendition', 'search_pending', 'document_text')`,
      )
      .all() as { name: string }[];
    return Object.fromEntries(
      tables.map(({ name }) => [
        name,
        database
          .prepare(`select * from "${name}" order by 1`)
          .all()
          .map(({ last_used_at, ...columns }) => columns),
      ]),
    );
  } finally {
    database.close();
  }
}
