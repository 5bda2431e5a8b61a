import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import { nothingAtAddress } from '../../base/errors.ts';
import { isNotModified } from './conditional.ts';

/** Bytes to send, whole or in part. */
export interface Sendable {
  etag: string;
  sizeBytes: number;
  /** Whether it is only sent as a whole. */
  isWhole?: boolean;
  /** @returns `undefined` if the bytes are gone */
  open(range?: { start: number; end: number }): Promise<Readable | undefined>;
}

/** How many times to look for the bytes, which can be replaced between `find` and `open`. */
const ATTEMPTS = 5;

/**
 * Answers GET and HEAD with a stream, without loading the whole file: 304 if not modified, 206 for
 * a single range (RFC 9110, section 14). Ignores unsatisfiable and multiple ranges, as that section
 * allows.
 *
 * @param find called again if the bytes have been replaced meanwhile
 * @param headersOf further headers, set only on success
 * @throws NOT_FOUND if the bytes are gone
 */
export async function sendBlob<Blob extends Sendable>(
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => Promise<Blob>,
  headersOf: (blob: Blob) => Record<string, string>,
): Promise<FastifyReply> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const blob = await find();
    const { etag, sizeBytes } = blob;
    if (isNotModified(request.headers, { etag })) {
      return reply
        .code(304)
        .headers({ ...headersOf(blob), etag })
        .send();
    }
    const range = requestedRange(request, blob);
    const bytes = request.method === 'HEAD' ? '' : await blob.open(range);
    if (bytes === undefined) continue;
    const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
    return reply
      .code(range ? 206 : 200)
      .headers({
        ...headersOf(blob),
        etag,
        'accept-ranges': blob.isWhole ? 'none' : 'bytes',
        'content-length': end - start + 1,
        ...(range && { 'content-range': `bytes ${start}-${end}/${sizeBytes}` }),
      })
      .send(bytes === '' ? undefined : bytes);
  }
  throw nothingAtAddress();
}

function requestedRange(
  { method, headers }: FastifyRequest,
  { etag, sizeBytes, isWhole }: Sendable,
): { start: number; end: number } | undefined {
  if (method !== 'GET' || headers.range === undefined || isWhole) return undefined;
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return undefined;
  const ranges = parseRange(sizeBytes, headers.range, { combine: true });
  const [range] = typeof ranges === 'number' || ranges.type !== 'bytes' ? [] : ranges;
  return typeof ranges !== 'number' && ranges.length === 1 ? range : undefined;
}
