import { Type } from 'typebox';

/**
 * Declares an optional argument for a text that can't be empty, such as a name. `""` then means
 * that the argument is absent.
 */
export function OptionalText(more: { description?: string; maxLength?: number } = {}) {
  return Type.Optional(Type.String({ minLength: 1, ...more }));
}
