import type { Kind } from '../../base/schema/kind.ts';
import { parseName } from '../../base/text/document-name.ts';
import { parseNamespace } from '../owner/namespace.ts';

/** Identifies a document by kind, owner and name. */
export interface DocumentRef {
  kind: Kind;
  owner: string;
  name: string;
}

/**
 * Normalises a reference to the form that is stored, so that case and spaces don't matter. An
 * invalid namespace or name becomes one that no document has.
 */
export function normaliseRef({ kind, owner, name }: DocumentRef): DocumentRef {
  const parsed = parseName(name);
  return {
    kind,
    owner: parseNamespace(owner) ?? '',
    name: 'name' in parsed ? parsed.name : '',
  };
}
