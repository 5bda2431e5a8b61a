import type { Call } from '../../core/context.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { carryThreads } from '../../core/review/anchor-service.ts';
import { canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { sightOf } from '../../core/review/sight.ts';
import { findRevision } from '../../core/revision/revision-store.ts';
import type { Quotation } from '../../surfaces/mcp/quote.ts';
import { type Thread, withComments } from '../comments/thread-service.ts';
import { listFeedbackRows } from './feedback-by-others-store.ts';
import { quoteThreads } from './threads.ts';

/** The most threads in an answer. */
const MAX_FEEDBACK = 5;

/**
 * Describes comments that others have made since the revision that a write was based on.
 *
 * @param revision that revision; if `undefined`, the result is empty
 */
export async function feedbackSince(
  call: Call,
  seen: Pick<WholeDocument, 'document' | 'text'>,
  revision: number | undefined,
): Promise<{ sentence: string; quotations: Quotation[] }> {
  if (revision === undefined) return { sentence: '', quotations: [] };
  const limits = { revision, limit: MAX_FEEDBACK };
  const threads = await listFeedbackSince(call, seen.document, limits);
  return {
    sentence: threads.length > 0 ? ' Others have commented since then; see below.' : '',
    quotations: await quoteThreads(call, seen, threads),
  };
}

/**
 * Lists a document's open threads, newest first, that changed after a revision and in which someone
 * else had the last word. The actor by another means (token, application or web app) counts as
 * someone else.
 *
 * @returns nothing if the actor can't see threads or there is no such revision
 */
async function listFeedbackSince(
  call: Call,
  document: DocumentRow,
  { revision, limit }: { revision: number; limit: number },
): Promise<Thread[]> {
  const { read } = call.sql;
  const { comments, opening } = await findReviewSettings(read, document.id);
  const written = await findRevision(read, document.id, revision);
  if (!written || !canReview(document, comments, 'see')) return [];
  const speaker = {
    accountId: call.actor.id,
    via: call.actor.via.means,
    viaName: call.actor.via.name,
  };
  const sight = sightOf(document, opening);
  const since = { since: written.at, limit };
  const rows = await listFeedbackRows(read, document.id, sight, speaker, since);
  return withComments(read, await carryThreads(call, document, rows), sight);
}
