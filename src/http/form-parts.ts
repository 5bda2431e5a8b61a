import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
// Gives requests their parts.
import type { FastifyMultipartBaseOptions, Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { FieldError, ServiceError } from '../errors.ts';

/**
 * The parts of a `multipart/form-data` form, each as it comes.
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
  yield* orBadForm(request.parts(options));
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
