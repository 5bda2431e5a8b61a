import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** What SQLite and PostgreSQL do differently, by what it is for. Nothing else asks which is which. */
export interface Capabilities {
  /** The type of text that is compared byte by byte, so that ids and times sort as they should. */
  text: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
  /**
   * Whether transactions run beside one another, so that one that reads in order to write has to
   * lock. Where not, each has the whole database for itself.
   */
  concurrentTransactions: boolean;
  /** Makes other processes that migrate wait until the transaction ends. */
  lockMigrations(db: Kysely<Tables>): Promise<void>;
}

/** "Brfs" in ASCII: tells this lock from other programs' in the same database. */
const MIGRATION_LOCK = 0x42726673;

const SQLITE: Capabilities = {
  text: sql`text`,
  bytes: sql`blob`,
  concurrentTransactions: false,
  // A writing transaction has the whole database for itself.
  async lockMigrations() {},
};

const POSTGRES: Capabilities = {
  text: sql`text collate "C"`,
  bytes: sql`bytea`,
  concurrentTransactions: true,
  async lockMigrations(db) {
    // Ends with the transaction, so it works through a pooler that shares sessions, too.
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db);
  },
};

/** What the database behind a handle can do. */
export function capabilitiesOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Capabilities {
  return db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE;
}
