import { FieldError } from '../../base/errors.ts';

/** The largest area of an image: a browser takes four bytes for each pixel, however few are sent. */
const LIMIT_PIXELS = 50_000_000;

/**
 * Checks that an image isn't too large to be shown.
 *
 * @param field the caller's field name for it, for the message
 * @throws UNPROCESSABLE naming `field` above 50 million pixels
 */
export function requireShowable(field: string, width: number, height: number): void {
  if (width * height <= LIMIT_PIXELS) return;
  const limit = `${LIMIT_PIXELS / 1_000_000} million pixels`;
  throw new FieldError('UNPROCESSABLE', field, `must have at most ${limit}.`);
}
