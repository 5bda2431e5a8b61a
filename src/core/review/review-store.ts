import type { Means } from '../../base/schema/means.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { adjustWriters, feedbackBytes } from '../quota/usage-store.ts';
import { type Judgement, type TextWrite, type Verdict, writersOf } from './review.ts';

export interface ReviewRow {
  id: string;
  accountId: string | null;
  /** A username; `null` if the account is gone. */
  author: string | null;
  version: number;
  verdict: Verdict;
  body: string | null;
  via: Means | null;
  viaName: string | null;
  createdAt: string;
}

function reviews(db: Reader, documentId: string) {
  return db
    .selectFrom('review')
    .leftJoin('owner', 'owner.id', 'review.accountId')
    .where('review.documentId', '=', documentId)
    .select([
      'review.id',
      'review.accountId',
      'owner.namespace as author',
      'review.version',
      'review.verdict',
      'review.body',
      'review.via',
      'review.viaName',
      'review.createdAt',
    ]);
}

/** Lists each person's latest review, newest first. Skips deleted accounts. */
export async function listLatestReviews(db: Reader, documentId: string): Promise<ReviewRow[]> {
  const latest = db
    .selectFrom('review')
    .where('documentId', '=', documentId)
    .where('accountId', 'is not', null)
    .groupBy('accountId')
    .select(({ fn }) => fn.max('id').as('id'));
  return reviews(db, documentId)
    .where('review.id', 'in', latest)
    .orderBy('review.id', 'desc')
    .execute();
}

/** Lists the reviews of some versions, oldest first. Skips deleted accounts. */
export async function listReviewsOfVersions(
  db: Reader,
  documentId: string,
  { from, to }: { from: number; to: number },
): Promise<ReviewRow[]> {
  return reviews(db, documentId)
    .where('review.accountId', 'is not', null)
    .where('review.version', '>=', from)
    .where('review.version', '<=', to)
    .orderBy('review.id')
    .execute();
}

/** Lists all verdicts on a document, oldest first. Skips deleted accounts. */
export async function listJudgements(db: Reader, documentId: string): Promise<Judgement[]> {
  const rows = await reviews(db, documentId)
    .where('review.accountId', 'is not', null)
    .orderBy('review.id')
    .execute();
  return rows.map(({ accountId, version, verdict, via }) => ({
    accountId,
    version,
    verdict,
    isByPerson: via === 'web',
  }));
}

export interface NewReview {
  id: string;
  documentId: string;
  accountId: string;
  version: number;
  verdict: Verdict;
  body: string | null;
  via: Means;
  viaName: string | null;
  at: string;
}

export async function insertReview(db: Writer, review: NewReview): Promise<void> {
  const { id, documentId, accountId, version, verdict, body, via, viaName, at } = review;
  await db
    .insertInto('review')
    .values({
      id,
      documentId,
      accountId,
      version,
      verdict,
      body,
      via,
      viaName,
      createdAt: at,
    })
    .execute();
  await adjustWriters(db, [{ accountId, bytes: feedbackBytes(body) }]);
}

export interface RequestRow {
  accountId: string;
  username: string;
  requestedBy: string | null;
  version: number;
  note: string | null;
  createdAt: string;
}

/** Lists the requested reviewers of a document, latest request first. */
export async function listRequests(db: Reader, documentId: string): Promise<RequestRow[]> {
  return db
    .selectFrom('review_request')
    .innerJoin('owner', 'owner.id', 'review_request.accountId')
    .leftJoin('owner as asker', 'asker.id', 'review_request.requestedBy')
    .where('documentId', '=', documentId)
    .select([
      'review_request.accountId',
      'owner.namespace as username',
      'asker.namespace as requestedBy',
      'review_request.version',
      'review_request.note',
      'review_request.createdAt',
    ])
    .orderBy('review_request.createdAt', 'desc')
    .orderBy('owner.namespace')
    .execute();
}

export async function upsertRequest(
  db: Writer,
  request: {
    documentId: string;
    accountId: string;
    requestedBy: string;
    /** Who asked, if that makes the reviewer's approvals count; otherwise that stays as it is. */
    appointedBy: string | null;
    version: number;
    note: string | null;
    at: string;
  },
): Promise<void> {
  const { documentId, accountId, requestedBy, appointedBy, version, note, at } = request;
  const values = { requestedBy, version, note, createdAt: at };
  const appointed = appointedBy === null ? values : { ...values, appointedBy };
  await db
    .insertInto('review_request')
    .values({ documentId, accountId, ...appointed })
    .onConflict((conflict) => conflict.columns(['documentId', 'accountId']).doUpdateSet(appointed))
    .execute();
}

/**
 * Makes a reviewer's approvals count no longer, because they lose access that a person gave them:
 * only asking them again does, so not a token that lets them in again. The requests stay.
 *
 * @param of a document, or all of an organization's
 */
export async function endAppointments(
  db: Writer,
  accountId: string,
  of: { documentId: string } | { organizationId: string },
): Promise<void> {
  const appointed = db
    .updateTable('review_request')
    .set({ appointedBy: null })
    .where('accountId', '=', accountId)
    .where('appointedBy', 'is not', null);
  const ended =
    'documentId' in of
      ? appointed.where('documentId', '=', of.documentId)
      : appointed.where('documentId', 'in', ({ selectFrom }) =>
          selectFrom('stored_document').where('ownerId', '=', of.organizationId).select('id'),
        );
  await ended.execute();
}

/** Withdraws a request for a review. @returns `false` if there is none */
export async function deleteRequest(
  db: Writer,
  documentId: string,
  accountId: string,
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('review_request')
    .where('documentId', '=', documentId)
    .where('accountId', '=', accountId)
    .returning('accountId')
    .execute();
  return deleted.length > 0;
}

/** Finds the last change of a document's name, and who made it by which means. */
export async function findLastRename(
  db: Reader,
  documentId: string,
): Promise<{ version: number; accountId: string | null; isByPerson: boolean } | undefined> {
  const row = await db
    .selectFrom('revision')
    .where('documentId', '=', documentId)
    .where('version', '>', 1)
    .where('changed', 'like', '%name%')
    .select(['version', 'accountId', 'via'])
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { version: row.version, accountId: row.accountId, isByPerson: row.via === 'web' };
}

/** Lists the writes of new texts after a version, oldest first. */
export async function listTextWrites(
  db: Reader,
  documentId: string,
  after: number,
): Promise<TextWrite[]> {
  const writes = await db
    .selectFrom('revision')
    .where('documentId', '=', documentId)
    .where('version', '>', after)
    .where('changed', 'like', '%content%')
    .select(['version', 'accountId', 'seenBy', 'restoredFrom'])
    .orderBy('version')
    .execute();
  const accepted = await db
    .selectFrom('thread')
    .where('documentId', '=', documentId)
    .where('state', '=', 'accepted')
    .where('closedVersion', '>', after)
    .select(['closedVersion as version', 'accountId', 'wordsBy'])
    .execute();
  const coWriters = await db
    .selectFrom('co_writer')
    .where('documentId', '=', documentId)
    .where('version', '>', after)
    .select(({ ref }) => ['version', ref('accountId').$castTo<string | null>().as('accountId')])
    // Co-writers whose accounts are gone.
    .union((again) =>
      again
        .selectFrom('written_span')
        .where('documentId', '=', documentId)
        .where('version', '>', after)
        .where('accountId', 'is', null)
        .select(['version', 'accountId']),
    )
    .union((again) =>
      again
        .selectFrom('thread_writer')
        .innerJoin('thread', 'thread.id', 'thread_writer.threadId')
        .where('documentId', '=', documentId)
        .where('state', '=', 'accepted')
        .where('closedVersion', '>', after)
        .select(({ ref }) => [
          ref('closedVersion').$castTo<number>().as('version'),
          'thread_writer.accountId',
        ]),
    )
    .execute();
  const authors = Map.groupBy(accepted, ({ version }) => version);
  const others = Map.groupBy(coWriters, ({ version }) => version);
  return writes.map(({ version, accountId, seenBy, restoredFrom }) => ({
    version,
    restoredFrom,
    writers: [
      ...(authors.get(version)?.flatMap(writersOf) ?? [accountId]),
      ...(others.get(version)?.map((each) => each.accountId) ?? []),
    ],
    seenBy,
  }));
}
