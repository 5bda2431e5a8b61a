import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { namespaceOf } from './person.ts';

const DOCUMENT_URI = new RegExp(`^(${Object.keys(KINDS).join('|')})://([^/?#]+)/([^/?#]+)$`);

/**
 * Returns a document's resource URI. It has its own scheme, because hosts fetch https resources
 * themselves, and most documents aren't public.
 */
export function documentUri({ kind, owner, name }: DocumentRef): string {
  return `${kind}://${owner}/${encodeURIComponent(name)}`;
}

/** Parses a document's resource URI; `undefined` for any other. */
export function parseDocumentUri(uri: string): DocumentRef | undefined {
  const [, kind, owner, name] = DOCUMENT_URI.exec(uri) ?? [];
  if (!kind || !owner || !name) return undefined;
  try {
    return {
      kind: kind as Kind,
      owner: namespaceOf(decodeURIComponent(owner)),
      name: decodeURIComponent(name),
    };
  } catch {
    return undefined;
  }
}
