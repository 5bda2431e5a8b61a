import { parseQualities } from '../http/qualities.ts';

export type Format = 'markdown' | 'html';

/**
 * Returns the format that a client prefers (RFC 9110, section 12.5.1): Markdown unless HTML has the
 * higher quality. Programs rarely send `Accept`, and they want the Markdown.
 *
 * @param accept the Accept header
 */
export function preferredFormat(accept: string | undefined): Format {
  const qualities = parseQualities(accept ?? '*/*');
  // The quality of the most specific matching range, else 0.
  const of = (subtype: Format) =>
    qualities.get(`text/${subtype}`) ?? qualities.get('text/*') ?? qualities.get('*/*') ?? 0;
  return of('html') > of('markdown') ? 'html' : 'markdown';
}
