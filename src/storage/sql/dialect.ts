import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** What SQLite and PostgreSQL do differently. No other code checks which database it runs on. */
export interface Capabilities {
  /** A text type that compares byte by byte, so ids and times sort in order. */
  text: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
  /**
   * Reads a bytes column of UTF-8 text. PostgreSQL returns text, because bytes would arrive in
   * hexadecimal.
   */
  textBytes(column: RawBuilder<Uint8Array | null>): RawBuilder<Uint8Array | string | null>;
  /** Converts a text column to UTF-8 bytes. */
  bytesOfText(column: RawBuilder<string | null>): RawBuilder<Uint8Array | null>;
  /** Ends the definition of a table that stores its small rows in the primary key's index. */
  keptWithKey: RawBuilder<unknown>;
  /** Whether transactions run concurrently, so one that reads before it writes must lock. */
  concurrentTransactions: boolean;
  /** Blocks migrations by other processes until the transaction ends. */
  lockMigrations(db: Kysely<Tables>): Promise<void>;
  /** Returns the tables with rows that refer to missing ones, which only unchecked writes can leave. */
  brokenReferences(db: Kysely<Tables>): Promise<string[]>;
  /** Tests whether a correlated subquery returns an id, in the form that looks ids up by index. */
  isAmong(id: RawBuilder<string>, subquery: RawBuilder<unknown>): RawBuilder<boolean>;
  /** Creates the tables of the search index. SQLite has that index in a separate file. */
  createWordIndex(db: Kysely<unknown>): Promise<void>;
  /** Returns the value for this database. For migrations, and queries that no other capability covers. */
  choose<T>(one: { sqlite: T; postgres: T }): T;
  /** Selects the ids in a parameter that is a JSON array. */
  idsIn(parameter: RawBuilder<string>): RawBuilder<unknown>;
}

/** "Brfs" in ASCII, to avoid the locks of other programs in the same database. */
const MIGRATION_LOCK = 0x42726673;

const SQLITE: Capabilities = {
  text: sql`text`,
  bytes: sql`blob`,
  textBytes: (column) => column,
  bytesOfText: (column) => sql`cast(${column} as blob)`,
  // Saves one page per write.
  keptWithKey: sql`without rowid`,
  concurrentTransactions: false,
  // A write transaction locks the whole database.
  async lockMigrations() {},
  async brokenReferences(db) {
    const { rows } = await sql<{ table: string }>`pragma foreign_key_check`.execute(db);
    return [...new Set(rows.map(({ table }) => table))];
  },
  isAmong: (id, subquery) => sql`${id} in (${subquery})`,
  async createWordIndex() {},
  choose: ({ sqlite }) => sqlite,
  idsIn: (parameter) => sql`select value from json_each(${parameter})`,
};

const POSTGRES: Capabilities = {
  text: sql`text collate "C"`,
  bytes: sql`bytea`,
  textBytes: (column) => sql`convert_from(${column}, 'UTF8')`,
  bytesOfText: (column) => sql`convert_to(${column}, 'UTF8')`,
  keptWithKey: sql``,
  concurrentTransactions: true,
  async lockMigrations(db) {
    // A transaction's lock also works through a pooler that shares sessions.
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db);
  },
  // It checks every write.
  brokenReferences: async () => [],
  isAmong: (id, subquery) => sql`${id} = any (array(${subquery}))`,
  async createWordIndex(db) {
    // No foreign key to the documents, so writing them never waits for the search index.
    await sql`create table document_text ("documentId" text collate "C" primary key,
      recency bigint not null, words tsvector not null)`.execute(db);
    await sql`create index document_text_by_recency on document_text (recency)`.execute(db);
    await sql`create index document_text_by_words on document_text using gin (words)`.execute(db);
    await sql`create table page_text ("documentId" text collate "C" primary key,
      source text not null, length integer not null, text text not null)`.execute(db);
  },
  choose: ({ postgres }) => postgres,
  idsIn: (parameter) => sql`select json_array_elements_text(cast(${parameter} as json))`,
};

/** Returns the capabilities of the database behind a handle. */
export function capabilitiesOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Capabilities {
  return db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE;
}
