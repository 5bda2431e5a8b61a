import type { Kind } from '../../base/schema/kind.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';

/** Returns the function that reads a document of this kind from the parameters of a path. */
export function refsOf(kind: Kind) {
  return ({ owner, name }: { owner: string; name: string }): DocumentRef => ({ kind, owner, name });
}

/** Returns the path of a document below `{base_url}`, for `Location`. */
export function documentLocation(
  segment: string,
  { owner, name }: { owner: string; name: string },
) {
  return `/${segment}/${owner}/${encodeURIComponent(name)}`;
}
