let at = Number.NaN;
let text = '';

/** Returns the time as ISO 8601 in UTC with milliseconds. Formats it once per millisecond. */
export function isoNow(): string {
  const now = Date.now();
  if (now !== at) {
    at = now;
    text = new Date(now).toISOString();
  }
  return text;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
