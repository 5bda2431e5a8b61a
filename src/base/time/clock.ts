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
