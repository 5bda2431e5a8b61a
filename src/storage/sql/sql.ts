import type { Kysely, Transaction } from 'kysely';
import type { WordIndex } from '../word-index/word-index.ts';
import type { Tables } from './tables.ts';

/** Runs queries: the readers' handle, or a transaction. */
export type Reader = Kysely<Tables>;

/** Runs queries inside one transaction; only these may write. */
export type Writer = Transaction<Tables>;

/** Where the data is, as `DATABASE_URL` says. */
export interface PostgresLocation {
  /** What the driver understands, without parameters of our own. */
  connectionString: string;
  /** The most connections that this process opens. */
  poolSize: number;
  /**
   * Whether a pooler stands between that gives each transaction another session. Then nothing may
   * be kept in a session: neither prepared statements nor time-outs.
   */
  pooler: boolean;
}

/** Something that only one transaction at a time may work on, such as an owner. */
export interface Exclusive {
  /** Names it in this process. */
  key: string;
  /** Locks it until the transaction ends, against other processes. Reads, and changes nothing. */
  lock(tx: Writer): Promise<unknown>;
}

/** How a transaction may be run. */
export interface TransactionOptions {
  /** Waits until no other transaction works on it. SQLite runs one transaction at a time anyway. */
  exclusive?: Exclusive | undefined;
  /** Runs on a full disk, too: it frees space, or someone signs in with it. */
  freesSpace?: boolean;
}

/** The database. */
export interface Sql {
  /** For reads outside a transaction. Never use it inside one: it would not see its writes. */
  read: Reader;
  /**
   * Runs `work` as one transaction: all of it is on disk when this resolves, or none of it. No other caller's
   * statements come between its own.
   *
   * @param work may run again from its beginning, so it must change nothing but rows, and must stop when the
   *   database refuses something
   */
  transaction<T>(work: (writer: Writer) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs reads that all see the data as it was at one moment, whoever writes meanwhile, and however
   * long they take.
   */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** Where the words of documents are; no transaction has it. */
  words: WordIndex;
  /** How the schema differs from what this version creates, in one sentence; `undefined` where it does not. */
  schemaDifference: string | undefined;
  /** Writes something small; throws when the database cannot. At most once a second. */
  ping(): Promise<void>;
  /** @throws BackEndUnavailable while the disk is full, for what is to be written beside the database */
  requireRoom(): void;
  /** Has room reserved on the disk for deleting, where the database is a file. */
  reserveSpace(): void;
  close(): Promise<void>;
}
