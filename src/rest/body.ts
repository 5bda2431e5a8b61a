import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FieldError } from '../errors.ts';
import { isJsonType, readJson } from '../http/json.ts';

/** No operation takes more than a handful of fields. */
const MAX_VALUES = 500;

/**
 * Collects bodies as bytes and judges nothing but their size. What they say is judged by
 * {@link readJsonBody} later, when it is known that the caller may know of the target at all.
 */
export function collectRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // The framework would refuse one that it cannot parse, also where no body is looked at.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.mediaType === undefined) delete request.headers['content-type'];
    done();
  });
}

/**
 * The JSON of a request; `{}` where there is no body.
 *
 * @throws BAD_REQUEST when the body is not declared as JSON, is not UTF-8 or JSON, is nested more than
 *   100 levels deep, or has more than 500 values
 */
export function readJsonBody(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined;
  if (!bytes || bytes.length === 0) return {};
  requireJsonType(request);
  const read = readJson(bytes, MAX_VALUES);
  if ('problem' in read) throw new FieldError('BAD_REQUEST', 'body', `${read.problem}.`);
  return read.value;
}

function requireJsonType(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new FieldError('BAD_REQUEST', 'Content-Encoding', 'only identity is understood.');
  }
  if (!isJsonType(request.headers['content-type'])) {
    throw new FieldError('BAD_REQUEST', 'Content-Type', 'must be application/json.');
  }
}
