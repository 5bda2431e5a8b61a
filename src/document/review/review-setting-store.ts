import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { CommentSetting } from './review-access.ts';

export interface ReviewSettings {
  comments: CommentSetting;
  /** Whether it needs an approval before it becomes public. */
  protected: boolean;
  /** Whether who wrote unapproved words can't approve them alone. */
  twoPeople: boolean;
}

const DEFAULTS: ReviewSettings = { comments: 'insiders', protected: false, twoPeople: false };

type Row = { comments: CommentSetting; protected: 0 | 1; twoPeople: 0 | 1 };

const setting = prepared<{ documentId: string }, Row>((db, parameter) =>
  db
    .selectFrom('review_setting')
    .where('document_id', '=', parameter('documentId'))
    .select(['comments', 'protected', 'two_people as twoPeople']),
);

export async function findReviewSettings(db: Reader, documentId: string): Promise<ReviewSettings> {
  const [row] = await setting(db, { documentId });
  if (!row) return DEFAULTS;
  const { comments, protected: isProtected, twoPeople } = row;
  return { comments, protected: isProtected === 1, twoPeople: twoPeople === 1 };
}

export async function upsertReviewSettings(
  db: Writer,
  documentId: string,
  { comments, protected: isProtected, twoPeople }: ReviewSettings,
): Promise<void> {
  const values = {
    comments,
    protected: isProtected ? 1 : 0,
    two_people: twoPeople ? 1 : 0,
  } as const;
  await db
    .insertInto('review_setting')
    .values({ document_id: documentId, ...values })
    .onConflict((conflict) => conflict.column('document_id').doUpdateSet(values))
    .execute();
}
