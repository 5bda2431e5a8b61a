import type { Readable } from 'node:stream';
import { BackEndUnavailable } from '../../errors.ts';

/** Part of a blob, in bytes; both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A bucket of an S3-compatible store, as `BLOB_URL` says. */
export interface S3Location {
  bucket: string;
  /** Put before every key; empty, or without slashes at its ends. */
  prefix: string;
  /** `undefined`: Amazon's own for the region. */
  endpoint: string | undefined;
  region: string;
  /** `undefined`: what the SDK finds for itself. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
}

/** The store gave no answer, not even when asked again, or said that it is not able to give one. */
export class BlobStoreUnavailable extends BackEndUnavailable {}

/**
 * Stores bytes under keys. What is stored under a key never changes: another version gets another
 * key. `isBlobKey` says what a key is. Nothing is stored under anything else: reading gives
 * `undefined`, deleting does nothing, listing leaves it out, writing is refused.
 *
 * Everything here, streams included, fails with {@link BlobStoreUnavailable} while the store is away.
 */
export interface BlobStore {
  /**
   * Stores what a stream gives. When this resolves the bytes are durable. When the stream fails this
   * rejects with its error, and nothing is stored; after any other failure all of it may be, since
   * the answer may be what was lost.
   */
  write(key: string, bytes: Readable): Promise<void>;
  /** The bytes under a key, or a part of them; `undefined` when there are none. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes what is under a key, if anything is. */
  delete(key: string): Promise<void>;
  /** Every key, with the time it was written, in no order. */
  list(): AsyncIterable<{ key: string; writtenAt: Date }>;
  /** Asks the store for an answer; throws when there is none within about 2 s. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
