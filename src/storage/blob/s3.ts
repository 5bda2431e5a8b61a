import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ConfigError } from '../../base/config-error.ts';
import { type BlobStore, BlobStoreUnavailable, type ByteRange, type S3Location } from './blob.ts';
import { isBlobKey, requireBlobKey } from './blob-key.ts';
import {
  boundedStream,
  createS3Client,
  type S3Timeouts,
  sendWithTimeout,
  statusOf,
} from './s3-client.ts';

/** The part of an upload to buffer in memory. */
const MEMORY_BYTES = 256 * 1024;

/**
 * @throws Error with one line that begins with `BLOB_URL:` if the folder for temporary files is not
 *   writable
 */
async function requireTemporaryFolder(): Promise<void> {
  try {
    await rm(await mkdtemp(join(tmpdir(), 'briefs-')), { recursive: true });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(
      `BLOB_URL: uploads wait in ${tmpdir()}, which cannot be written (${code}); set TMPDIR.`,
      { cause },
    );
  }
}

/**
 * Reads a whole stream. A slow upload holds little memory: all but its start waits in a temporary
 * file.
 */
async function collect(bytes: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const pieces: AsyncIterator<Buffer> = bytes[Symbol.asyncIterator]();
  while (length <= MEMORY_BYTES) {
    const { done, value } = await pieces.next();
    if (done) return Buffer.concat(chunks);
    chunks.push(value);
    length += value.length;
  }
  const directory = await mkdtemp(join(tmpdir(), 'briefs-'));
  try {
    const path = join(directory, 'upload');
    const rest = { [Symbol.asyncIterator]: () => pieces };
    await pipeline(rest, createWriteStream(path));
    return Buffer.concat([...chunks, await readFile(path)]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export const TIMEOUTS: S3Timeouts = {
  connect: 2_000,
  answer: 10_000,
  piece: 10_000,
  whole: 20_000,
  ping: 2_000,
  open: 10_000,
};

const OPEN_RETRY_MS = 250;

const SOCKETS = 50;
/** Separate, because slow readers hold their sockets for long. */
const READER_SOCKETS = 500;

/** How often to try a write that conflicts with another. */
const WRITE_ATTEMPTS = 3;
const WRITE_RETRY_MS = 100;

/**
 * Opens a blob store in an S3-compatible bucket. Each blob is an object named by the prefix and its
 * key.
 *
 * @param timeouts for tests
 * @throws Error with one line that begins with `BLOB_URL:` if the bucket is missing or
 *   inaccessible, if the store does not answer within 10 seconds, or if the folder for temporary
 *   files is not writable
 */
export async function openS3BlobStore(
  location: S3Location,
  timeouts: S3Timeouts = TIMEOUTS,
): Promise<BlobStore> {
  await requireTemporaryFolder();
  const store = s3BlobStore(location, timeouts);
  try {
    await onceItAnswers(location, timeouts, () => store.ping());
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Creates the bucket of a location if it is missing.
 *
 * @returns whether it was missing
 * @throws Error with one line that begins with `BLOB_URL:` if the store refuses, or does not answer
 *   within 10 seconds
 */
export async function createS3Bucket(location: S3Location): Promise<boolean> {
  const bucket = { Bucket: location.bucket };
  const client = createS3Client(location, TIMEOUTS, SOCKETS);
  const send = <T>(request: (options: { abortSignal: AbortSignal }) => Promise<T>) =>
    sendWithTimeout(TIMEOUTS.whole, request);
  let isMissing = false;
  try {
    await onceItAnswers(location, TIMEOUTS, async () => {
      try {
        await send((options) => client.send(new HeadBucketCommand(bucket), options));
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
        isMissing = true;
        await send((options) => client.send(new CreateBucketCommand(bucket), options));
      }
    });
    return isMissing;
  } finally {
    client.destroy();
  }
}

/**
 * Makes a first request to a store that may be starting.
 *
 * @throws Error with one line that begins with `BLOB_URL:`
 */
async function onceItAnswers(
  location: S3Location,
  timeouts: S3Timeouts,
  request: () => Promise<void>,
): Promise<void> {
  const giveUpAt = Date.now() + timeouts.open;
  while (true) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof BlobStoreUnavailable) || Date.now() >= giveUpAt) {
        const Fault = WRONG.includes(statusOf(error) ?? 0) ? ConfigError : Error;
        throw new Fault(`BLOB_URL: ${describeFailure(location, error)}`);
      }
    }
    await sleep(OPEN_RETRY_MS);
  }
}

function s3BlobStore(location: S3Location, timeouts: S3Timeouts): BlobStore {
  const { bucket } = location;
  const root = location.prefix && `${location.prefix}/`;
  const client = createS3Client(location, timeouts, SOCKETS);
  const readers = createS3Client(location, timeouts, READER_SOCKETS);
  const object = (key: string) => ({ Bucket: bucket, Key: root + key });

  const store: BlobStore = {
    async write(key, stream) {
      requireBlobKey(key);
      // Collect all (callers allow up to 10 MB) before sending: a retry needs it again, and a
      // failed stream must store nothing.
      const bytes = await collect(stream);
      try {
        await putNew(client, { ...object(key), Body: bytes }, timeouts.whole);
      } catch (error) {
        // The key may exist because an earlier attempt succeeded and its response was lost.
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
        const { Body } = await sendWithTimeout(timeouts.whole, (options) =>
          readers.send(command, options),
        );
        return boundedStream(Body as Readable, timeouts.piece);
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return undefined;
        throw error;
      }
    },

    async delete(key) {
      if (!isBlobKey(key)) return;
      const command = new DeleteObjectCommand(object(key));
      await sendWithTimeout(timeouts.whole, (options) => client.send(command, options));
    },

    async *list() {
      let after: string | undefined;
      do {
        const command = new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: root,
          ContinuationToken: after,
        });
        const page = await sendWithTimeout(timeouts.whole, (options) =>
          client.send(command, options),
        );
        for (const { Key = '', LastModified } of page.Contents ?? []) {
          const key = Key.slice(root.length);
          // Skips the empty objects by which some tools mark folders.
          if (isBlobKey(key)) yield { key, writtenAt: LastModified as Date };
        }
        after = page.NextContinuationToken;
      } while (after !== undefined);
    },

    async ping() {
      const command = new HeadBucketCommand({ Bucket: bucket });
      await sendWithTimeout(timeouts.ping, (options) => client.send(command, options));
    },

    async close() {
      client.destroy();
      readers.destroy();
    },
  };
  return store;
}

/** Creates an object. The store answers 412 if the key exists. */
async function putNew(
  client: S3Client,
  input: { Bucket: string; Key: string; Body: Buffer },
  wholeMs: number,
): Promise<void> {
  const command = new PutObjectCommand({ ...input, IfNoneMatch: '*' });
  for (let attempt = 1; ; attempt++) {
    try {
      await sendWithTimeout(wholeMs, (options) => client.send(command, options));
      return;
    } catch (error) {
      const isConflict = (error as Error).name === 'ConditionalRequestConflict';
      if (!isConflict || attempt === WRITE_ATTEMPTS) throw error;
    }
    await sleep(attempt * WRITE_RETRY_MS);
  }
}

function rangeOf({ start, end }: ByteRange): { Range: string } {
  return { Range: `bytes=${start}-${end}` };
}

/** Another region, no permission, no bucket: a later attempt gets the same. */
const WRONG = [301, 403, 404];

/** Describes why the store cannot be used, without its secrets. */
function describeFailure({ bucket, endpoint, region }: S3Location, error: unknown): string {
  const place = endpoint === undefined ? `Amazon S3 in ${region}` : new URL(endpoint).origin;
  if (error instanceof BlobStoreUnavailable) return `${error.message} at ${place}`;
  const status = statusOf(error);
  switch (status) {
    case 404:
      return `${place} has no bucket ${bucket}`;
    case 403:
      return `${place} does not allow these credentials to use the bucket ${bucket}`;
    case 301:
      return `the bucket ${bucket} is in another region than ${region}`;
    default: {
      const { name, message } = error as Error;
      const reason = status === undefined ? message.split('\n')[0] : `status ${status}, ${name}`;
      return `cannot use the bucket ${bucket} at ${place}: ${reason}`;
    }
  }
}
