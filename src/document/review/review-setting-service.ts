import { changeOwned } from '../../account/owner-service.ts';
import type { Actor, Context } from '../../context.ts';
import type { DocumentRef } from '../document-ref.ts';
import {
  findReviewSettings,
  type ReviewSettings,
  upsertReviewSettings,
} from './review-setting-store.ts';
import { requireReview } from './thread-service.ts';

/** Returns who can comment on a document. @throws NOT_FOUND; FORBIDDEN unless the actor sees comments */
export async function getReviewSettings(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<ReviewSettings> {
  const { document } = await requireReview(context.sql.read, actor, ref, 'see');
  return findReviewSettings(context.sql.read, document.id);
}

/** Changes who can comment on a document. @throws NOT_FOUND; FORBIDDEN unless the actor is an admin */
export async function changeReviewSettings(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  change: Partial<ReviewSettings>,
): Promise<ReviewSettings> {
  return changeOwned(context, ref.owner, async (tx) => {
    const { document } = await requireReview(tx, actor, ref, 'configure');
    const settings = { ...(await findReviewSettings(tx, document.id)), ...change };
    await upsertReviewSettings(tx, document.id, settings);
    return settings;
  });
}
