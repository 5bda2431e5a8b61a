import { sql } from 'kysely';
import { adjustWriters } from '../../core/quota/usage-store.ts';
import { deleteProposals } from '../../core/review/proposal-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A text that may repeat words of an erased one. */
export interface Candidate<Key> {
  key: Key;
  text: string;
}

/** A part of a list in the order of ids: at most `limit` items after an id (`''` for the first). */
interface Part {
  after: string;
  limit: number;
}

/** Lists suggested replacements of passages in any state, by id. */
export async function listReplacements(
  db: Reader,
  documentId: string,
  { after, limit }: Part,
): Promise<Candidate<string>[]> {
  const rows = await db
    .selectFrom('thread')
    .where('documentId', '=', documentId)
    .where('replacement', 'is not', null)
    .where('id', '>', after)
    .select(['id as key', 'replacement as text'])
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ key, text }) => ({ key, text: text ?? '' }));
}

/** Lists the ids of the threads of a document's proposals whose texts are stored. */
export async function listProposalIds(db: Reader, documentId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('proposal')
    .innerJoin('thread', 'thread.id', 'proposal.threadId')
    .where('thread.documentId', '=', documentId)
    .select('thread.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Lists the latest comments of a document, with their threads. */
export async function listCommentTexts(
  db: Reader,
  documentId: string,
  limit: number,
): Promise<Candidate<string>[]> {
  return db
    .selectFrom('comment')
    .innerJoin('thread', 'thread.id', 'comment.threadId')
    .where('thread.documentId', '=', documentId)
    .select(['thread.id as key', 'comment.body as text'])
    .orderBy('comment.id', 'desc')
    .limit(limit)
    .execute();
}

/** Lists the texts of a document's latest reviews, and of requests for reviews. */
export async function listReviewTexts(
  db: Reader,
  documentId: string,
  limit: number,
): Promise<Candidate<string>[]> {
  const reviews = await db
    .selectFrom('review')
    .where('documentId', '=', documentId)
    .where('body', 'is not', null)
    .select(['id as key', 'body as text'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const requests = await db
    .selectFrom('review_request')
    .where('documentId', '=', documentId)
    .where('note', 'is not', null)
    .select(['accountId as key', 'note as text'])
    .limit(limit)
    .execute();
  return [...reviews, ...requests].map(({ key, text }) => ({ key, text: text ?? '' }));
}

/** Lists the latest messages of a document's revisions, by number. */
export async function listMessages(
  db: Reader,
  documentId: string,
  limit: number,
): Promise<Candidate<number>[]> {
  const rows = await db
    .selectFrom('revision')
    .where('documentId', '=', documentId)
    .where('message', 'is not', null)
    .select(['version as key', 'message as text'])
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ key, text }) => ({ key, text: text ?? '' }));
}

/** How suggestions without a text are closed. */
interface Closing {
  at: string;
  version: number;
}

/**
 * Erases the texts of suggestions and proposals, and rejects those of the document that are open and
 * have no text any more. No one is their closer.
 *
 * @returns the blob keys of the texts
 */
export async function eraseSuggestions(
  db: Writer,
  documentId: string,
  ids: readonly string[],
  { at, version }: Closing,
): Promise<string[]> {
  let paths: string[] = [];
  if (ids.length > 0) {
    const suggested = await db
      .selectFrom('thread')
      .where('id', 'in', ids)
      .where('replacement', 'is not', null)
      .select(['accountId', sql<number>`-octet_length(replacement)`.as('bytes')])
      .execute();
    await db.updateTable('thread').set({ replacement: null }).where('id', 'in', ids).execute();
    await adjustWriters(db, suggested);
    paths = await deleteProposals(db, ids);
  }
  await db
    .updateTable('thread')
    .set({
      state: 'rejected',
      closedBy: null,
      closedVersion: version,
      seenBy: null,
      updatedAt: at,
    })
    .where('documentId', '=', documentId)
    .where('state', '=', 'open')
    .where((thread) =>
      thread.or([
        thread.and([thread('kind', '=', 'replacement'), thread('replacement', 'is', null)]),
        thread.and([
          thread('kind', '=', 'proposal'),
          thread.not(
            thread.exists(
              thread
                .selectFrom('proposal')
                .whereRef('proposal.threadId', '=', 'thread.id')
                .select('proposal.threadId'),
            ),
          ),
        ]),
      ]),
    )
    .execute();
  return paths;
}

/**
 * Deletes the changes that editors have sent, as far as a revision has them: they repeat what was
 * written since. Editors that still need some get the whole text.
 */
export async function eraseSentChanges(db: Writer, documentId: string): Promise<void> {
  await db
    .deleteFrom('live_change')
    .where('documentId', '=', documentId)
    .where('number', '<=', ({ selectFrom }) =>
      selectFrom('live_document').where('documentId', '=', documentId).select('textNumber'),
    )
    .execute();
}
