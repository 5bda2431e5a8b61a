let at = Number.NaN;
let text = '';

/** The time, as ISO 8601 in UTC with milliseconds: written once for all who ask in the same one. */
export function isoNow(): string {
  const now = Date.now();
  if (now !== at) {
    at = now;
    text = new Date(now).toISOString();
  }
  return text;
}
