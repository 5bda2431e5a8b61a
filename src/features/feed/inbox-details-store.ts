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

/** Lists the kinds of threads that still exist. */
export async function listThreadKinds(
  db: Reader,
  ids: readonly string[],
): Promise<{ id: string; kind: ThreadKind }[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('thread').where('id', 'in', ids).select(['id', 'kind']).execute();
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
    .where('thread_id', 'in', threadIds)
    .where('created_at', 'in', times)
    .select(['thread_id as threadId', 'account_id as accountId', 'created_at as createdAt'])
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
    .where('document_id', 'in', documentIds)
    .where('created_at', 'in', times)
    .select(['document_id as documentId', 'account_id as accountId', 'verdict'])
    .select('created_at as createdAt')
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
    .innerJoin('owner', 'owner.id', 'review_request.account_id')
    .where('review_request.document_id', 'in', documentIds)
    .where('review_request.created_at', 'in', times)
    .select([
      'review_request.document_id as documentId',
      'review_request.requested_by as accountId',
      'review_request.created_at as createdAt',
      'owner.namespace as target',
      sql<string | null>`substr(review_request.note, 1, ${sql.lit(BEGINNING)})`.as('note'),
    ])
    .execute();
}
