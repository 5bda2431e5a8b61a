import { parse } from 'content-type';

/**
 * Parses the qualities of a header such as `Accept` or `Accept-Encoding` (RFC 9110, section
 * 12.4.2), from 0 to 1, by name in lower case. An invalid quality counts as 0.
 */
export function parseQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (let start = 0; start < header.length; ) {
    const { type, parameters, index } = parse(header, { start, comma: true });
    const q = Number(parameters.q ?? 1);
    // A value with other parameters is narrower, so it counts only if the name has no plain value.
    const isNarrower = Object.keys(parameters).some((name) => name !== 'q');
    if (!isNarrower || !qualities.has(type)) qualities.set(type, q >= 0 && q <= 1 ? q : 0);
    start = index + 1;
  }
  return qualities;
}

/**
 * Returns the quality of a media type by an `Accept` header (RFC 9110, section 12.5.1): that of the
 * most specific range that matches, else 0. Without a header, everything is accepted.
 */
export function qualityOf(type: string, accept: string | undefined): number {
  const qualities = parseQualities(accept?.trim() || '*/*');
  const ranges = [type, type.replace(/\/.*/, '/*'), '*/*'];
  return ranges.map((range) => qualities.get(range)).find((q) => q !== undefined) ?? 0;
}
