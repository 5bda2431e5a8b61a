import type { Readable } from 'node:stream';

/** Part of a blob, in bytes; both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Stores bytes under keys. What is stored under a key never changes: another version gets another
 * key. Keys are relative paths of `a-z`, `0-9`, `-`, `/` and `.`.
 */
export interface BlobStore {
  /**
   * Stores what a stream gives. When this resolves the bytes are on disk; when it rejects, also
   * because the stream failed, nothing is stored.
   */
  write(key: string, bytes: Readable): Promise<void>;
  /** The bytes under a key, or a part of them; `undefined` when there are none. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes what is under a key, if anything is. */
  delete(key: string): Promise<void>;
  /** Every key, with the time it was written, in no order. */
  list(): AsyncIterable<{ key: string; writtenAt: Date }>;
}
