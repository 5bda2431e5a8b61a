import type { Actor, Context } from '../../core/context.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import type { Quotation } from '../../surfaces/mcp/quote.ts';
import { listFeedbackSince } from './feedback-by-others-service.ts';
import { quoteThreads } from './threads.ts';

/** The most threads in an answer. */
const MAX_FEEDBACK = 5;

/**
 * Describes comments that others have made since the revision that a write was based on.
 *
 * @param revision that revision; if `undefined`, the result is empty
 */
export async function feedbackSince(
  context: Context,
  actor: Actor,
  seen: Pick<WholeDocument, 'document' | 'text'>,
  revision: number | undefined,
): Promise<{ sentence: string; quotations: Quotation[] }> {
  if (revision === undefined) return { sentence: '', quotations: [] };
  const limits = { revision, limit: MAX_FEEDBACK };
  const threads = await listFeedbackSince(context, actor, seen.document, limits);
  return {
    sentence: threads.length > 0 ? ' Others have commented since then; see below.' : '',
    quotations: await quoteThreads(context, seen, threads),
  };
}
