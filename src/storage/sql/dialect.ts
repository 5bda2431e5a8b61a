import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** What SQLite and PostgreSQL do differently, by what it is for. Nothing else asks which is which. */
export interface Capabilities {
  /** The type of text that is compared byte by byte, so that ids and times sort as they should. */
  text: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
  /**
   * Reads bytes that are text in UTF-8, as they are quickest to be had: as bytes, or as text where bytes would
   * come in hexadecimal.
   */
  textBytes(column: RawBuilder<Uint8Array | null>): RawBuilder<Uint8Array | string | null>;
  /** The UTF-8 bytes of a text column. */
  bytesOfText(column: RawBuilder<string | null>): RawBuilder<Uint8Array | null>;
  /** Ends the definition of a table whose rows are small, and are to be kept with its key. */
  keptWithKey: RawBuilder<unknown>;
  /**
   * Whether transactions run beside one another, so that one that reads in order to write has to
   * lock. Where not, each has the whole database for itself.
   */
  concurrentTransactions: boolean;
  /** Makes other processes that migrate wait until the transaction ends. */
  lockMigrations(db: Kysely<Tables>): Promise<void>;
  /**
   * Whether an id is among those of a subquery that refers to the tables before it, so that the ids
   * are looked up one by one.
   */
  isAmong(id: RawBuilder<string>, subquery: RawBuilder<unknown>): RawBuilder<boolean>;
  /**
   * Makes the tables of the index for searches, where they are in this database; where they are not, they
   * are in a file of their own.
   */
  createWordIndex(db: Kysely<unknown>): Promise<void>;
  /** For migrations and for reading the schema: the one of the two that is for this database. */
  choose<T>(one: { sqlite: T; postgres: T }): T;
  /** The ids in a parameter: a JSON array. */
  idsIn(parameter: RawBuilder<string>): RawBuilder<unknown>;
}

/** "Brfs" in ASCII: tells this lock from other programs' in the same database. */
const MIGRATION_LOCK = 0x42726673;

const SQLITE: Capabilities = {
  text: sql`text`,
  bytes: sql`blob`,
  textBytes: (column) => column,
  bytesOfText: (column) => sql`cast(${column} as blob)`,
  // Each write has one page less to bring to the disk.
  keptWithKey: sql`without rowid`,
  concurrentTransactions: false,
  // A writing transaction has the whole database for itself.
  async lockMigrations() {},
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
    // Ends with the transaction, so it works through a pooler that shares sessions, too.
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db);
  },
  isAmong: (id, subquery) => sql`${id} = any (array(${subquery}))`,
  async createWordIndex(db) {
    // Not bound to the documents: nobody who writes them waits for what is about to be searched.
    await sql`create table document_text (document_id text collate "C" primary key,
      recency bigint not null, words tsvector not null)`.execute(db);
    await sql`create index document_text_by_recency on document_text (recency)`.execute(db);
    await sql`create index document_text_by_words on document_text using gin (words)`.execute(db);
  },
  choose: ({ postgres }) => postgres,
  idsIn: (parameter) => sql`select json_array_elements_text(cast(${parameter} as json))`,
};

/** What the database behind a handle can do. */
export function capabilitiesOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Capabilities {
  return db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE;
}
