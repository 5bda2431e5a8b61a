const ISO = /^\d{4}-\d{2}-\d{2}(?![^T])/;

/**
 * Parses an ISO 8601 time of any zone, or a date.
 *
 * @returns the time in the stored form, which compares as text; `undefined` if it is invalid
 */
export function parseTime(text: string): string | undefined {
  const time = ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
