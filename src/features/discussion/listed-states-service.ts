import type { Context } from '../../core/context.ts';
import type { Level } from '../../core/document/access-rules.ts';
import { countOpenThreads, listReviewsOf } from '../../core/review/list-state-store.ts';
import {
  isFresh,
  type ReviewState,
  reviewState,
  type TextWrite,
} from '../../core/review/review.ts';

/** What a list shows of the discussion of a document. */
export interface ListedState {
  review: ReviewState;
  openThreads: number;
}

/**
 * Finds the states of the reviews of listed documents and their open comments, with as many queries
 * for a hundred documents as for one. Leaves out documents to which the reader was not let in, and
 * those that have neither.
 */
export async function findListedStates(
  { sql: { read } }: Context,
  documents: readonly { id: string; level: Level }[],
): Promise<ReadonlyMap<string, ListedState>> {
  const ids = documents.filter(({ level }) => level !== 'none').map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const [open, { verdicts, requests, writes }] = await Promise.all([
    countOpenThreads(read, ids),
    listReviewsOf(read, ids),
  ]);
  const states = ids.map((id): [string, ListedState] => {
    const own = <Of extends { documentId: string }>(all: readonly Of[]) =>
      all.filter(({ documentId }) => documentId === id);
    const texts = own(writes).map(
      (write): TextWrite => ({ ...write, writers: [], restoredFrom: null }),
    );
    const given = own(verdicts);
    const isAsked = own(requests).some(
      ({ accountId, at }) => !given.some((one) => one.accountId === accountId && one.at >= at),
    );
    const review = reviewState(
      given.map((one) => ({ ...one, isFresh: isFresh(one, texts) })),
      isAsked,
    );
    return [id, { review, openThreads: open.get(id) ?? 0 }];
  });
  return new Map(
    states.filter(([, { review, openThreads }]) => review !== 'none' || openThreads > 0),
  );
}
