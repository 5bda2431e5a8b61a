import { FieldError } from '../../base/errors.ts';
import { tooLarge } from '../../base/text/size.ts';
import { REVIEW_LIMITS } from './thread.ts';

/** Requires that a comment isn't empty and isn't too long. @throws BAD_REQUEST */
export function requireBody(body: string | undefined): asserts body is string {
  if (body === undefined || body.trim() === '') {
    throw new FieldError('BAD_REQUEST', 'body', 'must not be empty.');
  }
  requireSize('body', body, REVIEW_LIMITS.bodyBytes);
}

/** Requires that a text has at most `limit` bytes of UTF-8. @throws BAD_REQUEST */
export function requireSize(field: string, text: string, limit: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return;
  throw new FieldError('BAD_REQUEST', field, tooLarge('the text has', bytes, limit));
}
