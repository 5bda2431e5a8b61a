import { qualityOf } from '../http/qualities.ts';

export type Format = 'markdown' | 'html';

/**
 * Returns the format that a client prefers (RFC 9110, section 12.5.1): Markdown unless HTML has the
 * higher quality. Programs rarely send `Accept`, and they want the Markdown.
 *
 * @param accept the Accept header
 */
export function preferredFormat(accept: string | undefined): Format {
  const of = (subtype: Format) => qualityOf(`text/${subtype}`, accept);
  return of('html') > of('markdown') ? 'html' : 'markdown';
}
