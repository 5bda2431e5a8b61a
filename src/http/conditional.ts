import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import { FieldError } from '../errors.ts';

/**
 * Whether the client has this state already, so that 304 is the answer (RFC 9110, section 13).
 * A request's Cache-Control plays no part: it speaks to caches (RFC 9111, section 5.2.1), and fetch()
 * adds `no-cache` to every condition that its caller sets.
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

/** At least one tag; empty elements count for nothing (RFC 9110, section 5.6.1). */
const ENTITY_TAG_LIST = new RegExp(
  String.raw`^[\s,]*${ENTITY_TAG}(?:\s*,[\s,]*${ENTITY_TAG})*[\s,]*$`,
);

/**
 * The strong entity tags of an If-Match header (RFC 9110, section 13.1.1): weak ones never match,
 * so they are left out.
 *
 * @throws BAD_REQUEST when the header is no list of entity tags
 */
export function parseIfMatch(header: string | undefined): string[] | '*' | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  if (!ENTITY_TAG_LIST.test(header)) {
    throw new FieldError('BAD_REQUEST', 'If-Match', 'must be * or a list of entity tags.');
  }
  return (header.match(/(W\/)?"[^"]*"/g) ?? []).filter((tag) => !tag.startsWith('W/'));
}

/** What an entity tag may hold between its quotes, without those that separate the tags of a list. */
const BARE_TAG = /^[\x21\x23-\x2b\x2d-\x7e\x80-\xff]+$/;

/**
 * As {@link parseIfMatch}, for a caller who gives one value and not a header: a tag without its quotes
 * counts as that tag.
 *
 * @throws BAD_REQUEST as that does
 */
export function parseIfMatchArgument(value: string | undefined): string[] | '*' | undefined {
  const text = value?.trim();
  return parseIfMatch(text && text !== '*' && BARE_TAG.test(text) ? `"${text}"` : text);
}

/** An ISO timestamp as HTTP writes it (RFC 9110, section 5.6.7). */
export function httpDate(timestamp: string): string {
  return new Date(timestamp).toUTCString();
}
