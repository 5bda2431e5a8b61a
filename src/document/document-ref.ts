import { parseNamespace } from '../account/namespace.ts';
import type { Kind } from './kind.ts';
import { parseName } from './name.ts';

/** Names one document as an address does. */
export interface DocumentRef {
  kind: Kind;
  owner: string;
  name: string;
}

/**
 * The form in which documents are stored: look-ups ignore case and spelling as names do. What can
 * be no namespace, or no document's name, becomes one that nobody has.
 */
export function normaliseRef({ kind, owner, name }: DocumentRef): DocumentRef {
  const parsed = parseName(name);
  return {
    kind,
    owner: parseNamespace(owner) ?? '',
    name: 'name' in parsed ? parsed.name : '',
  };
}
