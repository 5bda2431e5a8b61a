import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import { nothingAtAddress } from '../errors.ts';
import { isNotModified } from './conditional.ts';

/** Bytes to be sent, whole or in part. */
export interface Sendable {
  etag: string;
  sizeBytes: number;
  /** `undefined` when the bytes are gone. */
  open(range?: { start: number; end: number }): Promise<Readable | undefined>;
}

/** How often bytes are looked for that have been replaced since they were found. */
const ATTEMPTS = 5;

/**
 * Answers GET and HEAD with bytes from a stream, so that no reader holds a whole file in memory:
 * conditions (304), one range (206; RFC 9110, section 14), back-pressure. A range that cannot be
 * satisfied is ignored, as that section allows.
 *
 * @param find what is to be sent; asked again where it has been replaced in between
 * @param headersOf what else the answer says; set only once there is one
 * @throws NOT_FOUND when the bytes are gone
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
        'accept-ranges': 'bytes',
        'content-length': end - start + 1,
        ...(range && { 'content-range': `bytes ${start}-${end}/${sizeBytes}` }),
      })
      .send(bytes === '' ? undefined : bytes);
  }
  throw nothingAtAddress();
}

function requestedRange(
  { method, headers }: FastifyRequest,
  { etag, sizeBytes }: Sendable,
): { start: number; end: number } | undefined {
  if (method !== 'GET' || headers.range === undefined) return undefined;
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return undefined;
  const ranges = parseRange(sizeBytes, headers.range, { combine: true });
  const [range] = typeof ranges === 'number' || ranges.type !== 'bytes' ? [] : ranges;
  return typeof ranges !== 'number' && ranges.length === 1 ? range : undefined;
}
