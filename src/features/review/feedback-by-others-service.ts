import type { Actor, Context } from '../../core/context.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { carryThreads } from '../../core/review/anchor-service.ts';
import { canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { sightOf } from '../../core/review/sight.ts';
import { findRevision } from '../../core/revision/revision-store.ts';
import { listFeedbackRows } from './feedback-by-others-store.ts';
import { type Thread, withComments } from './thread-service.ts';

/**
 * Lists a document's open threads, newest first, that changed after a revision and in which someone
 * else had the last word. The actor by another means (token, application or web app) counts as
 * someone else.
 *
 * @returns nothing if the actor can't see threads or there is no such revision
 */
export async function listFeedbackSince(
  context: Context,
  actor: Actor,
  document: DocumentRow,
  { revision, limit }: { revision: number; limit: number },
): Promise<Thread[]> {
  const { read } = context.sql;
  const { comments, opening } = await findReviewSettings(read, document.id);
  const written = await findRevision(read, document.id, revision);
  if (!written || !canReview(document, comments, 'see')) return [];
  const speaker = { accountId: actor.id, via: actor.via.means, viaName: actor.via.name };
  const sight = sightOf(document, opening);
  const since = { since: written.at, limit };
  const rows = await listFeedbackRows(read, document.id, sight, speaker, since);
  return withComments(read, await carryThreads(context, actor, document, rows), sight);
}
