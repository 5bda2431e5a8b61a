import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { readJson } from '../http/json.ts';

/** JSON defines no parameters (RFC 8259, section 11); a charset that says UTF-8 is common. */
const JSON_TYPE = /^application\/json *(; *charset=(utf-8|"utf-8") *)?$/i;

/**
 * Collects bodies as bytes and judges nothing but their size. What they say is judged by
 * {@link readJsonBody} later, when it is known that the caller may know of the target at all.
 */
export function collectRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/**
 * The JSON of a request; `{}` where there is no body.
 *
 * @throws BAD_REQUEST when the body is not declared as JSON, not UTF-8 or not JSON
 */
export function readJsonBody(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined;
  if (!bytes || bytes.length === 0) return {};
  requireJsonType(request);
  const read = readJson(bytes);
  if ('problem' in read) throw new ServiceError('BAD_REQUEST', `body: ${read.problem}.`);
  return read.value;
}

function requireJsonType(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('BAD_REQUEST', 'Content-Encoding: only identity is understood.');
  }
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
    throw new ServiceError('BAD_REQUEST', 'Content-Type: must be application/json.');
  }
}
