import { slugOf } from '../../base/text/slug.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';

/**
 * Suggests a username from a name or email address. Returns `''` if no usable character is left.
 * Doesn't check whether it is free.
 *
 * @param name such as `Ada.Lovelace` or `ada@example.com`
 */
export function suggestUsername(name: string): string {
  return parseNamespace(slugOf(name.split('@', 1)[0] ?? '')) ?? '';
}
