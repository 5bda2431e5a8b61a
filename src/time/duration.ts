import ms from 'ms';

/** Times after the year 9999 have another form, and would come before all others. */
const LONGEST_MS = ms('1000y');

/**
 * Reads a span of time such as `7d`, `90m`, `10s` or `250ms`.
 *
 * @returns milliseconds, at least 1 and at most a thousand years
 * @throws Error when the text is no such span
 */
export function parseDuration(text: string): number {
  // `ms` alone would take "7" as milliseconds and "7 days" as a week; a setting has one spelling.
  const duration = /^\d{1,9}(ms|s|m|h|d|w|y)$/.test(text) ? ms(text as ms.StringValue) : 0;
  if (!(duration >= 1)) throw new Error('must be a span of time, such as 7d, 90m or 10s');
  if (duration > LONGEST_MS) throw new Error('must be at most a thousand years, 1000y');
  return duration;
}
