import type { Kind } from '../../base/schema/kind.ts';
import type { Actor, Context } from '../../core/context.ts';
import type { DocumentAction } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { ReviewAction } from '../../core/review/review-access.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { refsOf } from './document-path.ts';

type Params = { owner: string; name: string };

/**
 * Returns a function that creates the gate of an action: the actor must be allowed to do the action
 * to the document.
 */
export function documentGates(kind: Kind) {
  const refOf = refsOf(kind);
  return (action: DocumentAction) =>
    ({ sql }: Context, actor: Actor, params: Params) =>
      requireDocument(sql.read, actor, refOf(params), action);
}

/** Does the same for actions on a document's comments and reviews. */
export function reviewGates(kind: Kind) {
  const refOf = refsOf(kind);
  return (action: ReviewAction) =>
    ({ sql }: Context, actor: Actor, params: Params) =>
      requireReview(sql.read, actor, refOf(params), action);
}
