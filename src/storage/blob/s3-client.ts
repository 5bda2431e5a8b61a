import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { BlobStoreUnavailable, type S3Location } from './blob.ts';

/** How long the store may take, in milliseconds. */
export interface S3Patience {
  connect: number;
  /** From sending a request to the beginning of its answer; then it is sent again. */
  answer: number;
  /** Between two pieces of a blob that is being read. */
  piece: number;
  /** All of a request, with its repetitions. */
  whole: number;
  /** The same for the question whether the store is there. */
  ping: number;
  /** Until it is there; when this begins it may be starting, too. */
  open: number;
}

const ATTEMPTS = 3;

/**
 * The SDK's client for a store.
 *
 * @param maxSockets how many requests may be under way at once; more wait for `connect`
 */
export function newS3Client(
  location: S3Location,
  patience: S3Patience,
  maxSockets: number,
): S3Client {
  const { endpoint, region, credentials } = location;
  return new S3Client({
    region,
    ...(credentials && { credentials }),
    // Only Amazon's own has a name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Many of the compatible stores refuse the checksums that the SDK would add.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would have the SDK send large bodies over connections that nothing counts.
    expectContinueHeader: false,
    maxAttempts: ATTEMPTS,
    retryMode: 'standard',
    requestHandler: new NodeHttpHandler({
      connectionTimeout: patience.connect,
      requestTimeout: patience.answer,
      throwOnRequestTimeout: true,
      // This would break off whoever reads slowly: a socket is idle then, too.
      socketTimeout: 0,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    }),
  });
}

/**
 * Waits for an answer, but not forever. Where the answer is a stream, that is its beginning.
 *
 * @param send gives the signal on to the SDK
 * @throws BlobStoreUnavailable; or what the SDK throws where the store did answer
 */
export async function answerWithin<T>(
  ms: number,
  send: (options: { abortSignal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  try {
    return await send({ abortSignal: controller.signal });
  } catch (error) {
    throw unavailableOr(error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The stream of an answer, which fails where its next piece does not come in time. The time that
 * the reader takes does not count. Destroying it at whatever point frees the socket.
 */
export function boundedStream(body: Readable, pieceMs: number): Readable {
  const pieces = body[Symbol.asyncIterator]();
  // Whatever it is comes out of `pieces`; it must not end the process before that is asked.
  body.on('error', () => {});
  return new Readable({
    // What waits for the reader waits in `body` already.
    highWaterMark: 0,
    async read() {
      const timer = setTimeout(() => body.destroy(timeOut()), pieceMs);
      try {
        const { done, value } = await pieces.next();
        this.push(done ? null : value);
      } catch (error) {
        this.destroy(unavailableOr(error) as Error);
      } finally {
        clearTimeout(timer);
      }
    },
    destroy(error, done) {
      body.destroy();
      done(error);
    },
  });
}

function timeOut(): Error {
  return Object.assign(new Error('the next piece is late'), { name: 'TimeoutError' });
}

/** The status of the answer that an error of the SDK's stands for; `undefined` where there was none. */
export function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

/** Tells a store that is away from one that refuses something, and from faults of our own. */
function unavailableOr(error: unknown): unknown {
  const status = statusOf(error);
  const away =
    status === undefined ? isBrokenConnection(error as NodeJS.ErrnoException) : isOverload(status);
  if (!away) return error;
  const reason = status ? `status ${status}` : ((error as { code?: string }).code ?? 'time-out');
  return new BlobStoreUnavailable(`no answer from the blob store (${reason})`, { cause: error });
}

function isOverload(status: number): boolean {
  return status >= 500 || status === 429;
}

/** The system's names for what goes wrong in a network, unlike Node's own, are not `ERR_…`. */
function isBrokenConnection({ name, code }: NodeJS.ErrnoException): boolean {
  return name === 'TimeoutError' || name === 'AbortError' || /^E(?!RR_)[A-Z]/.test(code ?? '');
}
