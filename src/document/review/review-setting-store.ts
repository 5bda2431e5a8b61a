import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { CommentSetting } from './review-access.ts';

export interface ReviewSettings {
  comments: CommentSetting;
  /** Whether it needs an approval before it becomes public. */
  protected: boolean;
}

const DEFAULTS: ReviewSettings = { comments: 'insiders', protected: false };

const setting = prepared<{ documentId: string }, { comments: CommentSetting; protected: 0 | 1 }>(
  (db, parameter) =>
    db
      .selectFrom('review_setting')
      .where('document_id', '=', parameter('documentId'))
      .select(['comments', 'protected']),
);

export async function findReviewSettings(db: Reader, documentId: string): Promise<ReviewSettings> {
  const [row] = await setting(db, { documentId });
  return row ? { comments: row.comments, protected: row.protected === 1 } : DEFAULTS;
}

export async function upsertReviewSettings(
  db: Writer,
  documentId: string,
  settings: ReviewSettings,
): Promise<void> {
  const values = { comments: settings.comments, protected: settings.protected ? 1 : 0 } as const;
  await db
    .insertInto('review_setting')
    .values({ document_id: documentId, ...values })
    .onConflict((conflict) => conflict.column('document_id').doUpdateSet(values))
    .execute();
}
