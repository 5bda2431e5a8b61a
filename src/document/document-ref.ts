import { parseNamespace } from '../account/namespace.ts';
import type { Kind } from './kind.ts';
import { normaliseName } from './name.ts';

/** Names one document as an address does. */
export interface DocumentRef {
  kind: Kind;
  owner: string;
  name: string;
}

/**
 * The form in which documents are stored: look-ups ignore case and spelling as names do. What can
 * be nobody's namespace becomes one that nobody has.
 */
export function normaliseRef({ kind, owner, name }: DocumentRef): DocumentRef {
  return { kind, owner: parseNamespace(owner) ?? '', name: normaliseName(name) };
}
