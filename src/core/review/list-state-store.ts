import type { Reader } from '../../storage/sql/sql.ts';
import type { Verdict } from './review.ts';

/** What the states of some documents' reviews are made of. */
export interface ListedReviews {
  /** Each person's latest verdict. */
  verdicts: {
    documentId: string;
    accountId: string;
    version: number;
    verdict: Verdict;
    at: string;
  }[];
  requests: { documentId: string; accountId: string; at: string }[];
  /** The writes of texts since the first of a document's verdicts. */
  writes: { documentId: string; version: number; seenBy: string | null }[];
}

export async function listReviewsOf(
  db: Reader,
  documentIds: readonly string[],
): Promise<ListedReviews> {
  const verdicts = await db
    .selectFrom('review')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('review as latest')
        .where('latest.documentId', 'in', documentIds)
        .where('latest.accountId', 'is not', null)
        .groupBy(['latest.documentId', 'latest.accountId'])
        .select(({ fn }) => fn.max('latest.id').as('id')),
    )
    .select(['documentId', 'accountId', 'version', 'verdict'])
    .select('createdAt as at')
    .$narrowType<{ accountId: string }>()
    .execute();
  const requests = await db
    .selectFrom('review_request')
    .where('documentId', 'in', documentIds)
    .select(['documentId', 'accountId', 'createdAt as at'])
    .execute();
  const reviewed = [...new Set(verdicts.map(({ documentId }) => documentId))];
  if (reviewed.length === 0) return { verdicts, requests, writes: [] };
  const writes = await db
    .selectFrom('revision')
    .where('documentId', 'in', reviewed)
    .where('changed', 'like', '%content%')
    .where('version', '>', ({ selectFrom }) =>
      selectFrom('review')
        .whereRef('review.documentId', '=', 'revision.documentId')
        .select(({ fn }) => fn.min('review.version').as('version')),
    )
    .select(['documentId', 'version', 'seenBy'])
    .execute();
  return { verdicts, requests, writes };
}

/** Counts the open threads of documents, by id. Leaves out those that have none. */
export async function countOpenThreads(
  db: Reader,
  documentIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('thread')
    .where('documentId', 'in', documentIds)
    .where('state', '=', 'open')
    .groupBy('documentId')
    .select(({ fn }) => ['documentId', fn.countAll<number>().as('count')])
    .execute();
  return new Map(rows.map(({ documentId, count }) => [documentId, Number(count)]));
}
