import { parseQualities } from '../http/qualities.ts';

export type Format = 'markdown' | 'html';

/**
 * The form that a client prefers (RFC 9110, section 12.5.1): Markdown unless HTML has the higher
 * quality, so that programs, which rarely say anything, get the document itself.
 *
 * @param accept the Accept header
 */
export function preferredFormat(accept: string | undefined): Format {
  const qualities = parseQualities(accept ?? '*/*');
  // That of the most specific range that covers the type, else none.
  const of = (subtype: Format) =>
    qualities.get(`text/${subtype}`) ?? qualities.get('text/*') ?? qualities.get('*/*') ?? 0;
  return of('html') > of('markdown') ? 'html' : 'markdown';
}
