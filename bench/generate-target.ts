import { DatabaseSync, type StatementSync } from 'node:sqlite';
import pg from 'pg';
import type { Config } from '../src/config.ts';
import { capabilitiesOf, LAST_RECENCY } from '../src/storage/sql/dialect.ts';
import { openPostgres } from '../src/storage/sql/postgres.ts';
import type { PostgresLocation } from '../src/storage/sql/sql.ts';
import { databasePath, openSqlite } from '../src/storage/sql/sqlite.ts';
import type { Rows } from './generate-rows.ts';

/** An empty database that is being filled. */
export interface Target {
  insert(rows: Rows): Promise<void>;
  /** Makes what has been inserted stay. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a configuration's database with its tables. @throws Error when there is something in it */
export async function openTarget({ dataDir, database }: Config): Promise<Target> {
  const sql = database ? await openPostgres(database) : await openSqlite(dataDir);
  const owner = await sql.read.selectFrom('owner').select('id').limit(1).executeTakeFirst();
  const { placesPerMs } = capabilitiesOf(sql.read);
  await sql.close();
  if (owner) throw new Error('There is data already.');
  return database
    ? openPostgresTarget(database, placesPerMs)
    : openSqliteTarget(databasePath(dataDir), placesPerMs);
}

/** Without a journal: what fails is filled anew. Indexes are made when all is there. */
async function openSqliteTarget(path: string, placesPerMs: number): Promise<Target> {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false, defensive: false });
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
    async insert({ table, rows }) {
      if (table === 'document_text') {
        const words = prepare('insert into document_words (rowid, words) values (?, ?)');
        const place = prepare('insert into document_text (document_id, recency) values (?, ?)');
        // The index takes them in the order of its numbers.
        for (const row of (rows as unknown as TextRow[]).toReversed()) {
          const { document_id, updated, words: text } = row;
          place.run(document_id, updated * placesPerMs);
          words.run(LAST_RECENCY - updated * placesPerMs, text);
        }
        return;
      }
      const columns = Object.keys(rows[0] ?? {});
      if (columns.length === 0) return;
      const statement = prepare(
        `insert into ${table} (${columns}) values (${columns.map(() => '?')})`,
      );
      for (const row of rows) statement.run(...Object.values(row));
    },
    async finish() {
      for (const { sql } of indexes) database.exec(sql);
      database.exec('commit; pragma journal_mode = wal');
    },
    async close() {
      database.close();
    },
  };
}

interface TextRow {
  document_id: string;
  /** Milliseconds since 1970, no two the same: its place in the order of searches. */
  updated: number;
  words: string;
}

async function openPostgresTarget(
  { connectionString }: PostgresLocation,
  placesPerMs: number,
): Promise<Target> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  // Those that are no constraints.
  const { rows: indexes } = await client.query<{ name: string; sql: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as sql
    from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = 'public'::regnamespace and not indisunique`);
  await client.query(`begin; set local synchronous_commit = off;
    set local session_replication_role = replica`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  return {
    async insert({ table, rows }) {
      const [first] = rows;
      if (!first) return;
      const json = JSON.stringify(rows);
      if (table === 'document_text') {
        await client.query(
          `insert into document_text (document_id, recency, words)
           select document_id, updated * $2, array_to_tsvector(string_to_array(words, ' '))
           from json_to_recordset($1) as rows (document_id text, updated bigint, words text)`,
          [json, placesPerMs],
        );
        return;
      }
      const columns = Object.keys(first);
      await client.query(
        `insert into ${table} (${columns})
         select ${columns} from json_populate_recordset(null::${table}, $1)`,
        [json],
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
