import { parse } from 'content-type';

export type Format = 'markdown' | 'html';

/**
 * The form that a client prefers (RFC 9110, section 12.5.1): Markdown unless HTML has the higher
 * quality, so that programs, which rarely say anything, get the document itself.
 *
 * @param accept the Accept header
 */
export function preferredFormat(accept: string | undefined): Format {
  const ranges = parseAccept(accept ?? '*/*');
  return quality(ranges, 'html') > quality(ranges, 'markdown') ? 'html' : 'markdown';
}

type Ranges = Map<string, number>;

/** The quality of each media range; a range that is no such thing counts for nothing. */
function parseAccept(header: string): Ranges {
  const ranges: Ranges = new Map();
  for (let start = 0; start < header.length; ) {
    const { type, parameters, index } = parse(header, { start, comma: true });
    const q = Number(parameters.q ?? 1);
    // With further parameters it is about a narrower type, and says something only where nothing else does.
    const isNarrower = Object.keys(parameters).some((name) => name !== 'q');
    if (!isNarrower || !ranges.has(type)) ranges.set(type, q >= 0 && q <= 1 ? q : 0);
    start = index + 1;
  }
  return ranges;
}

/** The quality of a type: that of the most specific range that covers it, else none. */
function quality(ranges: Ranges, subtype: Format): number {
  return ranges.get(`text/${subtype}`) ?? ranges.get('text/*') ?? ranges.get('*/*') ?? 0;
}
