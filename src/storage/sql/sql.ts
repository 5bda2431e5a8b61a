import type { Kysely, Transaction } from 'kysely';
import type { WordIndex } from '../word-index/word-index.ts';
import type { Tables } from './tables.ts';

/** Runs queries, inside or outside a transaction. */
export type Reader = Kysely<Tables>;

/** Runs queries in one transaction. Only these may write. */
export type Writer = Transaction<Tables>;

/** A parsed `DATABASE_URL`. */
export interface PostgresLocation {
  /** The address without our own parameters. */
  connectionString: string;
  /** The maximum number of connections of this process. */
  poolSize: number;
  /**
   * Whether a pooler gives each transaction another session. Then a session keeps no state: no
   * prepared statements, no timeouts.
   */
  pooler: boolean;
}

/** Something that only one transaction at a time may change, such as an owner. */
export interface Exclusive {
  /** Identifies it within this process. */
  key: string;
  /** Locks it against other processes until the transaction ends. Changes nothing. */
  lock(tx: Writer): Promise<unknown>;
}

export interface TransactionOptions {
  /** Waits for other transactions on it. SQLite runs one transaction at a time anyway. */
  exclusive?: Exclusive | undefined;
}

export interface Sql {
  /** Reads outside transactions. Inside one, it would not see the transaction's writes. */
  read: Reader;
  /**
   * Runs `work` as one transaction: when this resolves, all of it is on disk; if it rejects, none
   * of it. Other callers' statements never become part of it.
   *
   * @param work may run again from the start, so it must change only rows, and must not catch
   *   database errors
   */
  transaction<T>(work: (writer: Writer) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs reads that all see the data as of one moment, however long they take. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** The search index. It takes part in no transaction. */
  words: WordIndex;
  /** Tests a write, at most once per second. @throws if the database cannot write */
  ping(): Promise<void>;
  /** Whether it was opened on a full disk: each write gets {@link DiskFull}, until it is opened again. */
  isReadOnly?: true;
  /** Counts the connections to the server. SQLite has none. */
  connections?(): Connections;
  close(): Promise<void>;
}

/** Connections of this process to a database server. */
export interface Connections {
  busy: number;
  idle: number;
  /** How many requests wait for one. */
  waiting: number;
}
