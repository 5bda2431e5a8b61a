import { FieldError } from '../errors.ts';

const ISO = /^\d{4}-\d{2}-\d{2}(?![^T])/;

/**
 * Parses an ISO 8601 time of any zone, or a date.
 *
 * @returns the time in the stored form, which compares as text
 * @throws BAD_REQUEST, which names the field
 */
export function requireTime(field: string, text: string): string {
  const time = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new FieldError(
    'BAD_REQUEST',
    field,
    'must be a date or time (ISO 8601), such as 2026-01-31 or 2026-01-31T12:00:00Z.',
  );
}
