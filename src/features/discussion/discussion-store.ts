import type { CommentSetting } from '../../core/review/review-access.ts';
import { openingVersion } from '../../core/review/review-setting-store.ts';
import type { Sight } from '../../core/review/sight.ts';
import { MAX_REPLACEMENT_SHOWN } from '../../core/review/thread.ts';
import { type ThreadRow, threads } from '../../core/review/thread-store.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader } from '../../storage/sql/sql.ts';

type Visitor = { documentId: string; accountId: string };

/** What the reading view looks up on every visit. */
export interface Visit {
  /** `null` for the default. */
  comments: CommentSetting | null;
  /** The document's `Opening`; `null` if readers see all threads. */
  openedAt: string | null;
  openedVersion: number | null;
  /** The position of an unread inbox entry about the document, if there is one. */
  unread: number | null;
}

const visit = prepared<Visitor, Visit>((db, parameter) =>
  db.selectNoFrom((none) => [
    none
      .selectFrom('review_setting')
      .where('documentId', '=', parameter('documentId'))
      .select('comments')
      .as('comments'),
    none
      .selectFrom('review_setting')
      .where('documentId', '=', parameter('documentId'))
      .select('threadsSince')
      .as('openedAt'),
    openingVersion(none, parameter('documentId')).as('openedVersion'),
    none
      .selectFrom('inbox')
      .innerJoin('event', 'event.position', 'inbox.position')
      .where('inbox.accountId', '=', parameter('accountId'))
      .where('inbox.readAt', 'is', null)
      .where('event.documentId', '=', parameter('documentId'))
      .select('inbox.position')
      .limit(1)
      .as('unread'),
  ]),
);

export async function findVisit(db: Reader, visitor: Visitor): Promise<Visit> {
  const [row] = await visit(db, visitor);
  return row ?? { comments: null, openedAt: null, openedVersion: null, unread: null };
}

/**
 * Lists the open threads of a document that someone sees and then as many closed ones as fit, newest first. Suggested
 * texts are cut one character after {@link MAX_REPLACEMENT_SHOWN}.
 */
export async function listDiscussion(
  db: Reader,
  documentId: string,
  sight: Sight,
  limit: number,
): Promise<ThreadRow[]> {
  return threads(db, documentId, sight, MAX_REPLACEMENT_SHOWN + 1)
    .orderBy((thread) => thread.case().when('thread.state', '=', 'open').then(0).else(1).end())
    .orderBy('thread.id', 'desc')
    .limit(limit)
    .execute();
}
