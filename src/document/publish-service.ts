import type { Actor, Context } from '../context.ts';
import { FieldError, undefinedIfNotFound } from '../errors.ts';
import type { Visibility } from './access.ts';
import { requireDocument } from './authorize.ts';
import { updateDocument } from './document-change-service.ts';
import type { IfMatch } from './document-input.ts';
import type { OwnerRef } from './document-owner-service.ts';
import { createDocument, type WholeDocument } from './document-service.ts';
import type { Kind } from './kind.ts';

/**
 * Creates a document or, where the owner has one of this name, replaces its content.
 *
 * @param options.mayReplace whether to replace at all; a document without a name replaces nothing
 * @throws PRECONDITION_FAILED when `ifMatch` is given and there is nothing to replace; what
 *   {@link createDocument} and {@link updateDocument} throw
 */
export async function publishDocument(
  context: Context,
  actor: Actor,
  document: { kind: Kind; owner: OwnerRef; name: string | undefined },
  input: { content: string; visibility?: Visibility },
  options: { ifMatch: IfMatch; mayReplace: boolean },
): Promise<{ isNew: boolean; seen: WholeDocument }> {
  const { kind, owner, name } = document;
  const { ifMatch, mayReplace } = options;
  if (name !== undefined && mayReplace) {
    const ref = { kind, owner: owner.namespace, name };
    const existing = requireDocument(context.sql.read, actor, ref, 'read');
    if (await undefinedIfNotFound(existing)) {
      return { isNew: false, seen: await updateDocument(context, actor, ref, input, ifMatch) };
    }
  }
  if (ifMatch) {
    throw new FieldError('PRECONDITION_FAILED', 'If-Match', 'there is no document to replace.');
  }
  const fields = name === undefined ? input : { ...input, name };
  return { isNew: true, seen: await createDocument(context, actor, kind, owner, fields) };
}
