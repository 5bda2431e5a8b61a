import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument } from '../../core/document/document-service.ts';
import { THREAD_STATES } from '../../core/review/thread.ts';
import { inWords } from '../../surfaces/mcp/document.ts';
import { pageSummary, presentPage } from '../../surfaces/mcp/paging.ts';
import type { Quotation } from '../../surfaces/mcp/quote.ts';
import type { ReadingOutcome } from '../../surfaces/mcp/tool.ts';
import { getThread, listThreads } from '../comments/thread-service.ts';
import { getReviews, type Reviews } from '../reviews/review-service.ts';
import { quoteThreads } from './threads.ts';

const PAGE_SIZE = 30;

/** Shows a document's reviews and threads, latest first. */
export async function readThreads(
  call: Call,
  ref: DocumentRef,
  input: { state?: 'open' | 'all'; thread?: string; page?: number },
): Promise<ReadingOutcome> {
  const { state = 'open', thread, page: number = 1 } = input;
  const whole = await getDocument(call, ref);
  const { document } = whole;
  const page = { number, size: PAGE_SIZE };
  const states = state === 'open' ? (['open'] as const) : THREAD_STATES;
  const filter = { states, since: undefined, anchor: undefined };
  const found =
    thread === undefined
      ? await listThreads(call, ref, filter, page)
      : { items: [await getThread(call, ref, thread)], total: 1 };
  const reviews = await getReviews(call, ref);
  const { items, ...data } = presentPage(found, page, (each) => each);
  const what = `Threads on ${inWords(document)}, revision ${document.version}`;
  return {
    summary: `${pageSummary(what, { items, ...data })} Review: ${REVIEW_STATES[reviews.state]}.`,
    data: { ...reviewData(reviews), ...data },
    quotations: [...quoteReviews(reviews), ...(await quoteThreads(call, whole, items))],
  };
}

export const REVIEW_STATES: Record<Reviews['state'], string> = {
  none: 'not reviewed',
  requested: 'a review is requested',
  approved: 'approved',
  outdated: 'approved, but changed since',
  changes_requested: 'changes are requested',
};

/** Presents the state of a document's reviews. */
export function reviewData({ state, revision, isProtected, requests }: Reviews) {
  const waitingFor = requests
    .filter(({ isAnswered }) => !isAnswered)
    .map(({ username }) => username);
  return { revision, state, ...(isProtected && { protected: true }), waitingFor };
}

function quoteReviews({ reviews }: Reviews): Quotation[] {
  if (reviews.length === 0) return [];
  const rows = reviews.map(({ author, via, verdict, version, isFresh, body }) => ({
    by: author,
    via,
    verdict,
    revision: version,
    current: isFresh,
    ...(body !== null && { body }),
  }));
  return [{ what: 'the reviews (one per line)', isPlural: true, rows }];
}
