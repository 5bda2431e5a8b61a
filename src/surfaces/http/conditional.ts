import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import { FieldError } from '../../base/errors.ts';

/**
 * Tells whether to answer 304 (RFC 9110, section 13). Ignores the request's Cache-Control: it is
 * for caches (RFC 9111, section 5.2.1), and fetch() adds `no-cache` to every conditional request.
 */
export function isNotModified(
  request: IncomingHttpHeaders,
  validators: { etag: string; lastModified?: string },
): boolean {
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = request;
  const conditions = {
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
    ...(ifModifiedSince !== undefined && { 'if-modified-since': ifModifiedSince }),
  };
  return fresh(conditions, {
    etag: validators.etag,
    ...(validators.lastModified && { 'last-modified': validators.lastModified }),
  });
}

const ENTITY_TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;

/** At least one tag; empty elements are ignored (RFC 9110, section 5.6.1). */
const ENTITY_TAG_LIST = new RegExp(
  String.raw`^[\s,]*${ENTITY_TAG}(?:\s*,[\s,]*${ENTITY_TAG})*[\s,]*$`,
);

/**
 * Parses an If-Match header (RFC 9110, section 13.1.1). Drops weak tags, which never match.
 *
 * @throws BAD_REQUEST if the header is not a list of entity tags
 */
export function parseIfMatch(header: string | undefined): string[] | '*' | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  if (!ENTITY_TAG_LIST.test(header)) {
    throw new FieldError('BAD_REQUEST', 'If-Match', 'must be * or a list of entity tags.');
  }
  return (header.match(/(W\/)?"[^"]*"/g) ?? []).filter((tag) => !tag.startsWith('W/'));
}

/** The characters of an unquoted entity tag, without commas. */
const BARE_TAG = /^[\x21\x23-\x2b\x2d-\x7e\x80-\xff]+$/;

/**
 * Parses an If-Match value like {@link parseIfMatch}, but accepts one tag without quotes.
 *
 * @throws BAD_REQUEST if the value is not a list of entity tags
 */
export function parseIfMatchArgument(value: string | undefined): string[] | '*' | undefined {
  const text = value?.trim();
  return parseIfMatch(text && text !== '*' && BARE_TAG.test(text) ? `"${text}"` : text);
}

/** Converts an ISO timestamp to an HTTP date (RFC 9110, section 5.6.7). */
export function httpDate(timestamp: string): string {
  return new Date(timestamp).toUTCString();
}
