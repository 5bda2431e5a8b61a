import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { runMigrations } from './migrate.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

/** A table as migrations create it. */
export interface TableSchema {
  name: string;
  columns: readonly string[];
  /** The columns of text or bytes, whose values can be large. */
  large: readonly string[];
  /** The columns of the primary key, in its order. */
  key: readonly string[];
  /** The columns with the key of a blob and with its size, if rows refer to blobs. */
  blob: { key: string; bytes: string } | undefined;
}

/** The column of every table that refers to blobs. */
const BLOB_KEY = 'storagePath';

interface Column {
  name: string;
  type: string;
  pk: number;
}

/**
 * Describes all tables of the schema, each after those it refers to. The search index is not among
 * them: PostgreSQL has it in tables, SQLite in a separate file.
 *
 * @param last the last migration to run; all if `undefined`
 */
export async function describeTables(last?: string): Promise<TableSchema[]> {
  // The schema is the same on all databases, and is created in memory within milliseconds.
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
  try {
    await db.transaction().execute((tx) => runMigrations(tx, last));
    const described = new Map<string, TableSchema>();
    const describe = (name: string) => {
      if (described.has(name)) return;
      const referred = database.prepare(`pragma foreign_key_list(${name})`).all();
      for (const { table } of referred) if (table !== name) describe(String(table));
      const columns = database.prepare(`pragma table_info(${name})`).all() as unknown as Column[];
      described.set(name, toSchema(name, columns));
    };
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'kysely%'")
      .all();
    for (const { name } of tables) describe(String(name));
    return [...described.values()];
  } finally {
    await db.destroy();
  }
}

function toSchema(name: string, all: Column[]): TableSchema {
  const columns = all.map((column) => column.name);
  const size = columns.includes('storedBytes') ? 'storedBytes' : 'sizeBytes';
  return {
    name,
    columns,
    large: all.filter(({ type }) => /text|blob/i.test(type)).map((column) => column.name),
    key: all
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map((column) => column.name),
    blob: columns.includes(BLOB_KEY) ? { key: BLOB_KEY, bytes: size } : undefined,
  };
}
