import { DatabaseSync, type StatementSync } from 'node:sqlite';
import pg from 'pg';
import type { Config } from '../src/core/config/config.ts';
import { openPostgres } from '../src/storage/sql/postgres.ts';
import type { PostgresLocation } from '../src/storage/sql/sql.ts';
import { openSqlite } from '../src/storage/sql/sqlite.ts';
import { databasePath, numberIn } from '../src/storage/sql/sqlite-file.ts';
import { RECENCIES_PER_MS } from '../src/storage/word-index/postgres-word-index.ts';
import { SqliteWordFile, wordFilePath } from '../src/storage/word-index/sqlite-word-file.ts';
import type { Rows, TableRows } from './generate-rows.ts';

/** A database to fill. */
export interface Target {
  insert(rows: Rows): Promise<void>;
  /** Commits. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database and creates its tables. @throws Error if it isn't empty */
export async function openTarget({ dataDir, database }: Config): Promise<Target> {
  const sql = database ? await openPostgres(database) : await openSqlite(dataDir);
  const owner = await sql.read.selectFrom('owner').select('id').limit(1).executeTakeFirst();
  await sql.close();
  if (owner) throw new Error('There is data already.');
  return database ? openPostgresTarget(database) : openSqliteTarget(dataDir);
}

/** No journal: after a failure it is filled again. Indexes are created at the end. */
async function openSqliteTarget(dataDir: string): Promise<Target> {
  const database = new DatabaseSync(databasePath(dataDir), {
    enableForeignKeyConstraints: false,
    defensive: false,
  });
  const words = new SqliteWordFile(wordFilePath(dataDir), numberIn(database, 'user_version'));
  database.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1048576;
    pragma locking_mode = exclusive; begin`);
  const indexes = database
    .prepare(`select name, sql from sqlite_schema where type = 'index' and sql is not null`)
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) database.exec(`drop index "${name}"`);
  const statements = new Map<string, StatementSync>();
  const prepare = (text: string) => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  return {
    async insert(rows) {
      if ('words' in rows) words.change(rows.words, []);
      else insertRows(rows.table, rows.rows);
    },
    async finish() {
      for (const { sql } of indexes) database.exec(sql);
      database.exec('commit; pragma journal_mode = wal');
    },
    async close() {
      words.close();
      database.close();
    },
  };

  function insertRows(table: string, rows: TableRows['rows']): void {
    const columns = Object.keys(rows[0] ?? {});
    if (columns.length === 0) return;
    const statement = prepare(
      `insert into ${table} (${columns}) values (${columns.map(() => '?')})`,
    );
    for (const row of rows) statement.run(...Object.values(row));
  }
}

async function openPostgresTarget({ connectionString }: PostgresLocation): Promise<Target> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  // All indexes except constraints.
  const { rows: indexes } = await client.query<{ name: string; sql: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as sql
    from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = 'public'::regnamespace and not indisunique`);
  await client.query(`begin; set local synchronous_commit = off;
    set local session_replication_role = replica`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  return {
    async insert(given) {
      if ('words' in given) {
        await client.query(
          `insert into document_text ("documentId", recency, words)
           select id, "updatedAt" * $2, array_to_tsvector(string_to_array(words, ' '))
           from json_to_recordset($1) as rows (id text, "updatedAt" bigint, words text)`,
          [JSON.stringify(given.words), RECENCIES_PER_MS],
        );
        return;
      }
      const columns = Object.keys(given.rows[0] ?? {});
      if (columns.length === 0) return;
      await client.query(
        `insert into ${given.table} (${columns})
         select ${columns} from json_populate_recordset(null::${given.table}, $1)`,
        [JSON.stringify(given.rows)],
      );
    },
    async finish() {
      for (const { sql } of indexes) await client.query(sql);
      await client.query('commit');
      await client.query('vacuum analyze');
    },
    async close() {
      await client.end();
    },
  };
}
