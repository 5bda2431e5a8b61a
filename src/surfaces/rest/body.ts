import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FieldError } from '../../base/errors.ts';
import { isJsonType, readJson } from '../http/json.ts';

/** Enough for 100 edits, the most allowed, with all their fields and 100 threads to resolve. */
const MAX_VALUES = 1_000;

/**
 * Reads bodies as bytes and checks only their size. {@link readJsonBody} parses them later, once it
 * is known that the caller can see the target.
 */
export function collectRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // The framework would refuse a type it can't parse, even if the operation ignores the body.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.mediaType === undefined) delete request.headers['content-type'];
    done();
  });
}

/**
 * Parses a request's JSON body; `{}` if it is empty.
 *
 * @throws BAD_REQUEST if the body is compressed, is not declared as JSON, is not UTF-8 or JSON, is
 *   nested more than 100 levels deep, has more than 1,000 values, or has a forbidden field name
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
    throw new FieldError('BAD_REQUEST', 'Content-Encoding', 'must be identity: no compression.');
  }
  if (!isJsonType(request.headers['content-type'])) {
    throw new FieldError('BAD_REQUEST', 'Content-Type', 'must be application/json.');
  }
}
