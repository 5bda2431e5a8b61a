import type { Readable } from 'node:stream';
import { BackEndUnavailable } from '../../base/errors.ts';

/** A part of a blob in bytes; both ends are inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A parsed `BLOB_URL`: a bucket of an S3-compatible store. */
export interface S3Location {
  bucket: string;
  /** The prefix of all keys: empty, or without slashes at its ends. */
  prefix: string;
  /** `undefined` for Amazon's endpoint of the region. */
  endpoint: string | undefined;
  region: string;
  /** `undefined` for the SDK's default credentials. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
}

/** The store did not answer after retries, or answered that it is unavailable. */
export class BlobStoreUnavailable extends BackEndUnavailable {}

/**
 * Stores immutable blobs: new content gets a new key. For an invalid key (`isBlobKey`), reading
 * returns `undefined`, deleting does nothing and writing throws. Listing skips such entries.
 *
 * All methods and streams fail with {@link BlobStoreUnavailable} while the store is unavailable.
 */
export interface BlobStore {
  /**
   * Stores a stream. The bytes are durable when this resolves. If the stream fails, this rejects
   * with its error and nothing is stored. After any other error the blob may exist.
   */
  write(key: string, bytes: Readable): Promise<void>;
  /** Reads a blob or a part of it; `undefined` if there is none. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Deletes a blob, if it exists. */
  delete(key: string): Promise<void>;
  /** Lists all keys, unordered. */
  list(): AsyncIterable<{ key: string; writtenAt: Date }>;
  /** @throws if the store does not answer within about 2 seconds */
  ping(): Promise<void>;
  close(): Promise<void>;
}
