import { startOfText } from '../text/raw-length.ts';
import { parseNamespace } from './namespace.ts';

/**
 * A username to begin with, made of what somebody is called elsewhere; `''` when nothing of it is
 * left. Whether it is free is another question.
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
