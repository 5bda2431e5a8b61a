import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
// Gives requests their parts.
import type { FastifyMultipartBaseOptions, Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { FieldError, ServiceError } from '../errors.ts';

const OCTETS = 'application/octet-stream';
const JSON_TYPE = 'application/json';

/** The parser would parse a field that says it is JSON, whatever that takes. */
function isFile(
  _field: string | undefined,
  type: string | undefined,
  fileName: string | undefined,
) {
  return fileName !== undefined || type === OCTETS || Boolean(type?.startsWith(JSON_TYPE));
}

/**
 * Yields the parts of a `multipart/form-data` form as they come. A part with a file name, or
 * with a type that is JSON or `application/octet-stream`, is a file; any other is a field.
 *
 * Each chunk of the body is parsed in an iteration of the event loop of its own: a chunk of 64 KB may
 * be thousands of tiny parts. Once the caller stops, the rest of the body is dropped without parsing.
 *
 * @throws BAD_REQUEST for another content type, and for what is not well-formed
 */
export async function* formParts(
  request: FastifyRequest,
  options?: Omit<FastifyMultipartBaseOptions, 'preservePath'>,
): AsyncGenerator<Multipart> {
  if (!request.isMultipart()) {
    throw new FieldError('BAD_REQUEST', 'Content-Type', 'must be multipart/form-data.');
  }
  const body = Readable.from(pace(request.raw), { objectMode: false });
  Object.assign(body, { headers: request.raw.headers });
  // The parser would read from the request itself as fast as the network allows.
  const paced: FastifyRequest = Object.create(request, { raw: { value: body } });
  try {
    yield* orBadForm(paced.parts({ ...options, isPartAFile: isFile }));
  } finally {
    body.destroy();
  }
}

/** Yields the chunks of a body, one in each iteration of the event loop; drops what is left of it. */
async function* pace(body: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      yield chunk;
      await nextTurn();
    }
  } finally {
    body.resume();
  }
}

/**
 * What a part of a form has, or all of its parts: the parser throws plain errors for whatever it
 * cannot read.
 *
 * @throws BAD_REQUEST
 */
export async function* orBadForm<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch {
    throw new FieldError('BAD_REQUEST', 'body', 'is no well-formed multipart/form-data.');
  }
}

/**
 * Whether the first part of a form says of what type it is; where that cannot be told, it does. The
 * parser has a part without a type be text (RFC 7578, section 4.4), which then nobody has claimed.
 *
 * @param body nothing of which has been read; all of it stays to be read
 */
export async function namesFirstType(body: IncomingMessage): Promise<boolean> {
  if (!(await arrives(body))) throw new ServiceError('BAD_REQUEST', 'The request broke off.');
  const beginning: Buffer | null = body.read();
  if (!beginning) return true;
  body.unshift(beginning);
  const head = beginning.toString('latin1').split('\r\n\r\n', 1)[0] as string;
  return head.length === beginning.length || /^content-type:/im.test(head);
}

/** Whether anything comes of a body, be it its end. */
async function arrives(body: IncomingMessage): Promise<boolean> {
  if (body.destroyed) return false;
  const first = Promise.race([once(body, 'readable'), once(body, 'close')]);
  return first.then(
    () => body.complete || !body.destroyed,
    () => false,
  );
}
