import { sql } from 'kysely';
import type { Verdict } from '../../core/review/review.ts';
import type { ThreadKind } from '../../core/review/thread.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** How much of a text to read, in characters. */
const BEGINNING = 400;

/** Who wrote something, and when. */
interface Written {
  accountId: string | null;
  createdAt: string;
}

/** Lists threads that still exist, with the beginnings of what they are about and suggest. */
export async function listThreadsBriefly(
  db: Reader,
  ids: readonly string[],
): Promise<{ id: string; kind: ThreadKind; quote: string | null; replacement: string | null }[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('thread')
    .where('id', 'in', ids)
    .select(['id', 'kind'])
    .select(sql<string | null>`substr(quote, 1, ${sql.lit(BEGINNING)})`.as('quote'))
    .select(sql<string | null>`substr(replacement, 1, ${sql.lit(BEGINNING)})`.as('replacement'))
    .execute();
}

/** Lists the beginnings of comments that were added to some threads at some times. */
export async function listCommentsAt(
  db: Reader,
  threadIds: readonly string[],
  times: readonly string[],
): Promise<(Written & { threadId: string; body: string })[]> {
  if (threadIds.length === 0) return [];
  return db
    .selectFrom('comment')
    .where('threadId', 'in', threadIds)
    .where('createdAt', 'in', times)
    .select(['threadId', 'accountId', 'createdAt'])
    .select(sql<string>`substr(body, 1, ${sql.lit(BEGINNING)})`.as('body'))
    .execute();
}

/** Lists reviews of some documents that were given at some times, with the beginnings. */
export async function listReviewsAt(
  db: Reader,
  documentIds: readonly string[],
  times: readonly string[],
): Promise<(Written & { documentId: string; verdict: Verdict; body: string | null })[]> {
  if (documentIds.length === 0) return [];
  return db
    .selectFrom('review')
    .where('documentId', 'in', documentIds)
    .where('createdAt', 'in', times)
    .select(['documentId', 'accountId', 'verdict'])
    .select('createdAt')
    .select(sql<string | null>`substr(body, 1, ${sql.lit(BEGINNING)})`.as('body'))
    .execute();
}

/** Lists the beginnings of the notes of review requests that were made at some times. */
export async function listNotesAt(
  db: Reader,
  documentIds: readonly string[],
  times: readonly string[],
): Promise<(Written & { documentId: string; target: string; note: string | null })[]> {
  if (documentIds.length === 0) return [];
  return db
    .selectFrom('review_request')
    .innerJoin('owner', 'owner.id', 'review_request.accountId')
    .where('review_request.documentId', 'in', documentIds)
    .where('review_request.createdAt', 'in', times)
    .select([
      'review_request.documentId',
      'review_request.requestedBy as accountId',
      'review_request.createdAt',
      'owner.namespace as target',
      sql<string | null>`substr(review_request.note, 1, ${sql.lit(BEGINNING)})`.as('note'),
    ])
    .execute();
}
