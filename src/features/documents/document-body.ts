import type { AnyKind } from '../../base/schema/kind.ts';
import type { DocumentInput } from '../../core/document/document-input.ts';

/**
 * Returns a validated body with the kind's content field renamed to `content`, as services call it.
 */
export function documentInputOf(kind: AnyKind, body: object): DocumentInput {
  const { [kind.contentField]: content, ...rest } = body as Record<string, string | undefined>;
  return { ...rest, ...(content !== undefined && { content }) };
}
