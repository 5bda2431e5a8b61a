const ISO = /^\d{4}-\d{2}-\d{2}(?![^T])/;

/**
 * Reads a time as ISO 8601, of any zone, or a date.
 *
 * @returns it as it is stored, so that the two compare as text; `undefined` if it is no time
 */
export function parseTime(text: string): string | undefined {
  const time = ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
