import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { FieldError, ServiceError } from '../../base/errors.ts';

/**
 * Returns the body of an upload as a stream. The stream fails with PAYLOAD_TOO_LARGE as soon as it
 * is above the limit, and with BAD_REQUEST if it is empty or ends early.
 *
 * @throws BAD_REQUEST if it is compressed; PAYLOAD_TOO_LARGE if it is declared to be above the
 *   limit
 */
export function bodyOf({ headers, raw }: FastifyRequest, limitBytes: number): Readable {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new FieldError('BAD_REQUEST', 'Content-Encoding', 'must be identity: no compression.');
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  return Readable.from(checked(raw, limitBytes), { objectMode: false });
}

/**
 * Yields the chunks of a body. If the caller stops, drops the rest, so that the response can be
 * sent.
 */
async function* checked(body: Readable, limitBytes: number): AsyncGenerator<Buffer> {
  let length = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > limitBytes) throw tooLarge(limitBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new FieldError('BAD_REQUEST', 'body', 'ended early.');
  } finally {
    body.resume();
  }
  if (length > 0) return;
  throw new FieldError('BAD_REQUEST', 'body', "is empty. Send the bytes: curl -T FILE 'URL'.");
}

function tooLarge(limitBytes: number): FieldError {
  const problem = `is too large. The limit is ${limitBytes} bytes.`;
  return new FieldError('PAYLOAD_TOO_LARGE', 'body', problem);
}
