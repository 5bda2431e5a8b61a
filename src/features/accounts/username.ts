import { startOfText } from '../../base/text/raw-length.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';

/**
 * Suggests a username from a name or email address. Returns `''` if no usable character is left.
 * Doesn't check whether it is free.
 *
 * @param name such as `Ada.Lovelace` or `ada@example.com`
 */
export function suggestUsername(name: string): string {
  const slug = startOfText(name.split('@', 1)[0] ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 39)
    .replace(/^-|-$/g, '');
  return parseNamespace(slug) ?? '';
}
