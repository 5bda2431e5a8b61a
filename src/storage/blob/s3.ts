import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { type BlobStore, BlobStoreUnavailable, type ByteRange, type S3Location } from './blob.ts';
import { isBlobKey, requireBlobKey } from './blob-key.ts';
import { collect, requireTemporaryPlace } from './collect.ts';
import {
  answerWithin,
  boundedStream,
  newS3Client,
  type S3Patience,
  statusOf,
} from './s3-client.ts';

export const PATIENCE: S3Patience = {
  connect: 2_000,
  answer: 10_000,
  piece: 10_000,
  whole: 20_000,
  ping: 2_000,
  open: 10_000,
};

const OPEN_AGAIN_AFTER_MS = 250;

const SOCKETS = 50;
/** Readers hold a socket for as long as they read. These are theirs, so that nobody else waits. */
const READER_SOCKETS = 500;

/** How often a write is begun that the store says was in the way of another. */
const WRITE_ATTEMPTS = 3;
const WRITE_AGAIN_AFTER_MS = 100;

/**
 * Keeps each blob in an object of an S3-compatible store, named by its key, below a prefix.
 *
 * @param patience for tests: how long the store may take
 * @throws Error with one line that begins `BLOB_URL: ` when there is no such bucket, when it may not
 *   be used, when the store does not answer for ten seconds, and when there is no place for
 *   temporary files
 */
export async function openS3BlobStore(
  location: S3Location,
  patience: S3Patience = PATIENCE,
): Promise<BlobStore> {
  await requireTemporaryPlace();
  const store = s3BlobStore(location, patience);
  const giveUpAt = Date.now() + patience.open;
  while (true) {
    try {
      await store.ping();
      return store;
    } catch (error) {
      if (!(error instanceof BlobStoreUnavailable) || Date.now() >= giveUpAt) {
        await store.close();
        throw new Error(`BLOB_URL: ${whyNot(location, error)}`);
      }
    }
    await sleep(OPEN_AGAIN_AFTER_MS);
  }
}

function s3BlobStore(location: S3Location, patience: S3Patience): BlobStore {
  const { bucket } = location;
  const root = location.prefix && `${location.prefix}/`;
  const client = newS3Client(location, patience, SOCKETS);
  const readers = newS3Client(location, patience, READER_SOCKETS);
  const object = (key: string) => ({ Bucket: bucket, Key: root + key });

  const store: BlobStore = {
    async write(key, stream) {
      requireBlobKey(key);
      // Whole, up to the callers' limits of 10 MB, before any is sent: it may have to be sent again,
      // and a stream that fails has sent nothing.
      const bytes = await collect(stream);
      try {
        await putNew(client, { ...object(key), Body: bytes }, patience.whole);
      } catch (error) {
        // That there is something already can be the first sending, whose answer was lost.
        if (statusOf(error) !== 412) throw error;
        const stored = await store.read(key);
        if (stored && (await buffer(stored)).equals(bytes)) return;
        throw new Error(`the key ${key} is taken`, { cause: error });
      }
    },

    async read(key, range) {
      if (!isBlobKey(key)) return undefined;
      const command = new GetObjectCommand({ ...object(key), ...(range && rangeOf(range)) });
      try {
        const { Body } = await answerWithin(patience.whole, (options) =>
          readers.send(command, options),
        );
        return boundedStream(Body as Readable, patience.piece);
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return undefined;
        throw error;
      }
    },

    async delete(key) {
      if (!isBlobKey(key)) return;
      const command = new DeleteObjectCommand(object(key));
      await answerWithin(patience.whole, (options) => client.send(command, options));
    },

    async *list() {
      let after: string | undefined;
      do {
        const command = new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: root,
          ContinuationToken: after,
        });
        const page = await answerWithin(patience.whole, (options) => client.send(command, options));
        for (const { Key = '', LastModified } of page.Contents ?? []) {
          const key = Key.slice(root.length);
          // Some tools mark what they show as a folder with an empty object.
          if (isBlobKey(key)) yield { key, writtenAt: LastModified as Date };
        }
        after = page.NextContinuationToken;
      } while (after !== undefined);
    },

    async ping() {
      const command = new HeadBucketCommand({ Bucket: bucket });
      await answerWithin(patience.ping, (options) => client.send(command, options));
    },

    async close() {
      client.destroy();
      readers.destroy();
    },
  };
  return store;
}

/** One request, which the store refuses with 412 where there is something under the key already. */
async function putNew(
  client: S3Client,
  input: { Bucket: string; Key: string; Body: Buffer },
  wholeMs: number,
): Promise<void> {
  const command = new PutObjectCommand({ ...input, IfNoneMatch: '*' });
  for (let attempt = 1; ; attempt++) {
    try {
      await answerWithin(wholeMs, (options) => client.send(command, options));
      return;
    } catch (error) {
      const isConflict = (error as Error).name === 'ConditionalRequestConflict';
      if (!isConflict || attempt === WRITE_ATTEMPTS) throw error;
    }
    await sleep(attempt * WRITE_AGAIN_AFTER_MS);
  }
}

function rangeOf({ start, end }: ByteRange): { Range: string } {
  return { Range: `bytes=${start}-${end}` };
}

/** What keeps a store from being used, in words that show none of its secrets. */
function whyNot({ bucket, endpoint, region }: S3Location, error: unknown): string {
  const place = endpoint === undefined ? `Amazon S3 in ${region}` : new URL(endpoint).origin;
  if (error instanceof BlobStoreUnavailable) return `${error.message} at ${place}`;
  const status = statusOf(error);
  switch (status) {
    case 404:
      return `${place} has no bucket ${bucket}`;
    case 403:
      return `${place} does not let these credentials use the bucket ${bucket}`;
    case 301:
      return `the bucket ${bucket} is in another region than ${region}`;
    default: {
      const { name, message } = error as Error;
      const reason = status === undefined ? message.split('\n')[0] : `status ${status}, ${name}`;
      return `cannot use the bucket ${bucket} at ${place}: ${reason}`;
    }
  }
}
