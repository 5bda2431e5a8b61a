import type { Means } from '../../base/schema/means.ts';
import type { Sight } from '../../core/review/sight.ts';
import { type ThreadRow, threads } from '../../core/review/thread-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** A person and their means: the web app, or a token or application with its name. */
interface Speaker {
  accountId: string;
  via: Means;
  viaName: string | null;
}

/**
 * Lists the open threads of a document that someone sees and that changed after a time, newest first, except those in which
 * the speaker had the last word.
 */
export async function listFeedbackRows(
  db: Reader,
  documentId: string,
  sight: Sight,
  speaker: Speaker,
  { since, limit }: { since: string; limit: number },
): Promise<ThreadRow[]> {
  return threads(db, documentId, sight)
    .leftJoin('comment as last', (join) =>
      join.on('last.id', '=', (last) =>
        last
          .selectFrom('comment')
          .whereRef('comment.threadId', '=', 'thread.id')
          .select((comment) => comment.fn.max('comment.id').as('id')),
      ),
    )
    .where('thread.state', '=', 'open')
    .where('thread.updatedAt', '>', since)
    .where((row) => {
      // Compare with '' instead of null: accounts can be deleted, and the web app has no name.
      const text = (column: Parameters<typeof row.ref>[0]) =>
        row.fn.coalesce(row.ref(column), row.val(''));
      const isOwn = (by: 'last' | 'thread') =>
        row.and([
          row(text(`${by}.accountId`), '=', speaker.accountId),
          row(text(`${by}.via`), '=', speaker.via),
          row(text(`${by}.viaName`), '=', speaker.viaName ?? ''),
        ]);
      return row
        .case()
        .when('last.id', 'is', null)
        .then(row.not(isOwn('thread')))
        .else(row.not(isOwn('last')))
        .end();
    })
    .orderBy('thread.id', 'desc')
    .limit(limit)
    .execute();
}
