import { validate } from 'uuid';

/**
 * Converts an id to its stored form. An invalid id becomes '', which no row has, so the lookup
 * simply finds nothing.
 */
export function normaliseId(text: string): string {
  return validate(text) ? text.toLowerCase() : '';
}
