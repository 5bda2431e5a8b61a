import type { Means } from '../../base/schema/means.ts';
import { adjustWriters, feedbackBytes } from '../../core/quota/usage-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

export interface CommentRow {
  id: string;
  threadId: string;
  accountId: string | null;
  author: string | null;
  via: Means | null;
  viaName: string | null;
  body: string;
  createdAt: string;
  editedAt: string | null;
}

export interface NewComment {
  id: string;
  threadId: string;
  accountId: string;
  via: Means;
  viaName: string | null;
  body: string;
  at: string;
}

export async function insertComment(db: Writer, comment: NewComment): Promise<void> {
  await db
    .insertInto('comment')
    .values({
      id: comment.id,
      threadId: comment.threadId,
      accountId: comment.accountId,
      via: comment.via,
      viaName: comment.viaName,
      body: comment.body,
      createdAt: comment.at,
      editedAt: null,
    })
    .execute();
  const { accountId, body } = comment;
  await adjustWriters(db, [{ accountId, bytes: feedbackBytes(body) }]);
}

/** Lists the comments of threads, oldest first. */
export async function listComments(
  db: Reader,
  threadIds: readonly string[],
): Promise<CommentRow[]> {
  if (threadIds.length === 0) return [];
  return comments(db, threadIds).orderBy('comment.id').execute();
}

/** Lists the latest comments of threads, newest first. */
export async function listLatestComments(
  db: Reader,
  threadIds: readonly string[],
  limit: number,
): Promise<CommentRow[]> {
  if (threadIds.length === 0) return [];
  return comments(db, threadIds).orderBy('comment.id', 'desc').limit(limit).execute();
}

function comments(db: Reader, threadIds: readonly string[]) {
  return db
    .selectFrom('comment')
    .leftJoin('owner as author', 'author.id', 'comment.accountId')
    .where('comment.threadId', 'in', threadIds)
    .select([
      'comment.id',
      'comment.threadId',
      'comment.accountId',
      'author.namespace as author',
      'comment.via',
      'comment.viaName',
      'comment.body',
      'comment.createdAt',
      'comment.editedAt',
    ]);
}

/** Counts the comments of a thread. @param accountId only those of this account */
export async function countComments(
  db: Reader,
  threadId: string,
  accountId?: string,
): Promise<number> {
  const { count } = await db
    .selectFrom('comment')
    .where('threadId', '=', threadId)
    .$if(accountId !== undefined, (query) => query.where('accountId', '=', accountId as string))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

type Written = Pick<CommentRow, 'id' | 'accountId' | 'body'>;

export async function updateComment(
  db: Writer,
  { id, accountId, body: before }: Written,
  { body, at }: { body: string; at: string },
): Promise<void> {
  await db.updateTable('comment').set({ body, editedAt: at }).where('id', '=', id).execute();
  const bytes = feedbackBytes(body) - feedbackBytes(before);
  await adjustWriters(db, [{ accountId, bytes }]);
}

export async function deleteComment(db: Writer, { id, accountId, body }: Written): Promise<void> {
  await db.deleteFrom('comment').where('id', '=', id).execute();
  await adjustWriters(db, [{ accountId, bytes: -feedbackBytes(body) }]);
}
