import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { BlobStoreUnavailable, type S3Location } from './blob.ts';

/** Timeouts in milliseconds. */
export interface S3Timeouts {
  connect: number;
  /** From sending a request to the start of its response; then it is retried. */
  answer: number;
  /** Between two chunks of a blob. */
  piece: number;
  /** A request with all retries. */
  whole: number;
  /** A health check with all retries. */
  ping: number;
  /** Until the store answers at start, because it may be starting too. */
  open: number;
}

const ATTEMPTS = 3;

/**
 * Creates an SDK client.
 *
 * @param maxSockets how many requests can run at once; others wait up to `connect`
 */
export function createS3Client(
  location: S3Location,
  timeouts: S3Timeouts,
  maxSockets: number,
): S3Client {
  const { endpoint, region, credentials } = location;
  return new S3Client({
    region,
    ...(credentials && { credentials }),
    // Only Amazon's endpoint has a host name per bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Many compatible stores refuse the SDK's checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // With this header, large bodies would use connections outside the pool's limit.
    expectContinueHeader: false,
    maxAttempts: ATTEMPTS,
    retryMode: 'standard',
    requestHandler: new NodeHttpHandler({
      connectionTimeout: timeouts.connect,
      requestTimeout: timeouts.answer,
      throwOnRequestTimeout: true,
      // A socket timeout would cut off slow readers.
      socketTimeout: 0,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    }),
  });
}

/**
 * Sends a request with a timeout. For a stream, the timeout applies to its start.
 *
 * @param send passes the signal to the SDK
 * @throws BlobStoreUnavailable; the SDK's error if the store answered
 */
export async function sendWithTimeout<T>(
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
 * Wraps a response's stream so that it fails if the next chunk is late. The reader's own time does
 * not count. Destroying the stream frees the socket.
 */
export function boundedStream(body: Readable, pieceMs: number): Readable {
  const pieces = body[Symbol.asyncIterator]();
  // `pieces` reports an error. Without this listener, the error would end the process.
  body.on('error', () => {});
  return new Readable({
    // `body` already buffers.
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
  return Object.assign(new Error('the next chunk is late'), { name: 'TimeoutError' });
}

/** Returns the HTTP status behind an SDK error; `undefined` if there was no response. */
export function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

/** Converts the error of an unavailable store. Returns refusals and our own errors unchanged. */
function unavailableOr(error: unknown): unknown {
  const status = statusOf(error);
  const away =
    status === undefined ? isBrokenConnection(error as NodeJS.ErrnoException) : isOverload(status);
  if (!away) return error;
  const reason = status ? `status ${status}` : ((error as { code?: string }).code ?? 'timeout');
  return new BlobStoreUnavailable(`no answer from the blob store (${reason})`, { cause: error });
}

function isOverload(status: number): boolean {
  return status >= 500 || status === 429;
}

/** Network errors have the system's codes; those of Node begin with `ERR_`. */
function isBrokenConnection({ name, code }: NodeJS.ErrnoException): boolean {
  return name === 'TimeoutError' || name === 'AbortError' || /^E(?!RR_)[A-Z]/.test(code ?? '');
}
