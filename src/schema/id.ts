import { validate } from 'uuid';

/**
 * An id as it is stored. What can be nothing's id becomes one that nothing has, so that a look-up
 * with it is like any other.
 */
export function normaliseId(text: string): string {
  return validate(text) ? text.toLowerCase() : '';
}
