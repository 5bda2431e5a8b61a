// Gives requests their parts.
import type { FastifyMultipartBaseOptions, Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';

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
    throw new ServiceError('BAD_REQUEST', 'Content-Type: must be multipart/form-data.');
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
    throw new ServiceError('BAD_REQUEST', 'body: is no well-formed multipart/form-data.');
  }
}
