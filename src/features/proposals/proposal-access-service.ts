import type { Call } from '../../core/context.ts';
import { decide } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { isProtected } from '../../core/review/protection-store.ts';
import { type CommentSetting, canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';

/**
 * Tells whether the actor can only propose changes to a document: the actor can comment but not
 * edit, or can comment and the document is protected and public.
 *
 * @throws NOT_FOUND if the actor can't read it
 */
export async function mustPropose(call: Call, ref: DocumentRef): Promise<boolean> {
  const { read } = call.sql;
  const { document } = await requireDocument(read, call.actor, ref, 'read');
  const { comments } = await findReviewSettings(read, document.id);
  if (!canReview(document, comments, 'comment')) return false;
  if (canOnlyPropose(document, comments)) return true;
  const { id: documentId, ownerId } = document;
  return document.visibility === 'public' && isProtected(read, { documentId, ownerId });
}

/** Tells whether someone can comment on a document but not edit it. */
function canOnlyPropose(document: DocumentRow, comments: CommentSetting): boolean {
  return decide(document, 'editContent') !== 'allow' && canReview(document, comments, 'comment');
}
