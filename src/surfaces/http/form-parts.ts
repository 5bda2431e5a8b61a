import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
// Adds `parts` to the type of requests.
import type { FastifyMultipartBaseOptions, Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { FieldError, ServiceError } from '../../base/errors.ts';

const OCTETS = 'application/octet-stream';
const JSON_TYPE = 'application/json';

/** Treats JSON as a file, because the parser would parse a JSON field without limits. */
function isFile(
  _field: string | undefined,
  type: string | undefined,
  fileName: string | undefined,
) {
  return fileName !== undefined || type === OCTETS || Boolean(type?.startsWith(JSON_TYPE));
}

/**
 * Yields the parts of a `multipart/form-data` form as they arrive. A part with a file name, or with
 * the type JSON or `application/octet-stream`, is a file; any other is a field.
 *
 * Parses one chunk per event-loop iteration, because a chunk of 64 KB can contain thousands of
 * parts. If the caller stops, drops the rest of the body without parsing it.
 *
 * @throws BAD_REQUEST for another content type or a malformed body
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
  // The parser reads from `raw`.
  const paced: FastifyRequest = Object.create(request, { raw: { value: body } });
  try {
    yield* orBadForm(paced.parts({ ...options, isPartAFile: isFile }));
  } finally {
    body.destroy();
  }
}

/** Yields one chunk per event-loop iteration. Drops the rest if the caller stops. */
async function* pace(body: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      yield chunk;
      await nextTick();
    }
  } finally {
    body.resume();
  }
}

/** Converts the parser's plain errors. @throws BAD_REQUEST */
export async function* orBadForm<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch {
    throw new FieldError('BAD_REQUEST', 'body', 'is not well-formed multipart/form-data.');
  }
}

/**
 * Tells whether the first part of a form has a Content-Type; `true` if that is unknown. The parser
 * reports a part without one as text (RFC 7578, section 4.4).
 *
 * @param body unread; all of it can still be read afterwards
 * @throws BAD_REQUEST if the connection ends before the first bytes
 */
export async function namesFirstType(body: IncomingMessage): Promise<boolean> {
  if (!(await arrives(body))) throw new ServiceError('BAD_REQUEST', 'The request ended early.');
  const start: Buffer | null = body.read();
  if (!start) return true;
  body.unshift(start);
  const head = start.toString('latin1').split('\r\n\r\n', 1)[0] as string;
  return head.length === start.length || /^content-type:/im.test(head);
}

/** Waits for the first bytes or the end of a body. @returns `false` if the connection broke */
async function arrives(body: IncomingMessage): Promise<boolean> {
  if (body.destroyed) return false;
  const first = Promise.race([once(body, 'readable'), once(body, 'close')]);
  return first.then(
    () => body.complete || !body.destroyed,
    () => false,
  );
}
