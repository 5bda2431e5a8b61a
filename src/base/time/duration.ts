import ms from 'ms';

/** Times from the year 10000 on are written with a `+`, so they would sort before all others. */
const LONGEST_MS = ms('1000y');

/**
 * Parses a duration such as `7d`, `90m`, `10s` or `250ms`.
 *
 * @returns milliseconds, from 1 to a thousand years
 * @throws Error if the text is not a duration, or exceeds a thousand years
 */
export function parseDuration(text: string): number {
  // `ms` would accept "7" as milliseconds and "7 days". A setting has one spelling.
  const duration = /^\d{1,9}(ms|s|m|h|d|w|y)$/.test(text) ? ms(text as ms.StringValue) : 0;
  if (!(duration >= 1)) throw new Error('must be a duration, such as 7d, 90m or 10s');
  if (duration > LONGEST_MS) throw new Error('must be at most a thousand years, 1000y');
  return duration;
}
