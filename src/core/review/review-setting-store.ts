import type { Expression, ExpressionBuilder } from 'kysely';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import type { CommentSetting } from './review-access.ts';
import type { Opening } from './sight.ts';

export interface ReviewSettings {
  comments: CommentSetting;
  /** Whether it needs an approval before it becomes public. */
  protected: boolean;
  /** Whether who wrote unapproved words can't approve them alone. */
  twoPeople: boolean;
  /** Readers who aren't insiders see threads and reviews from then on; `null` for all. */
  threadsSince: string | null;
}

/** The settings of a document, with what follows from `threadsSince`. */
export type StoredReviewSettings = ReviewSettings & { opening: Opening | null };

const DEFAULTS: StoredReviewSettings = {
  comments: 'insiders',
  protected: false,
  twoPeople: false,
  threadsSince: null,
  opening: null,
};

type Row = {
  comments: CommentSetting;
  protected: 0 | 1;
  twoPeople: 0 | 1;
  threadsSince: string | null;
  openedVersion: number | null;
};

const setting = prepared<{ documentId: string }, Row>((db, parameter) =>
  db
    .selectFrom('review_setting')
    .where('documentId', '=', parameter('documentId'))
    .select((build) => [
      'comments',
      'protected',
      'twoPeople',
      'threadsSince',
      openingVersion(build, parameter('documentId')).as('openedVersion'),
    ]),
);

/** Selects the version that created the text of the time when a document was opened to readers. */
export function openingVersion(
  { selectFrom }: Pick<ExpressionBuilder<Tables, never>, 'selectFrom'>,
  documentId: Expression<string>,
) {
  return selectFrom('review_setting as opened')
    .innerJoin('revision', (join) =>
      join
        .onRef('revision.documentId', '=', 'opened.documentId')
        .onRef('revision.at', '<=', 'opened.threadsSince'),
    )
    .where('opened.documentId', '=', documentId)
    .where('revision.changed', 'like', '%content%')
    .orderBy('revision.version', 'desc')
    .limit(1)
    .select('revision.version');
}

/** Combines what is stored about an opening. */
export function openingOf(at: string | null, version: number | null): Opening | null {
  return at === null ? null : { at, version: version ?? 0 };
}

export async function findReviewSettings(
  db: Reader,
  documentId: string,
): Promise<StoredReviewSettings> {
  const [row] = await setting(db, { documentId });
  if (!row) return DEFAULTS;
  const { comments, protected: isProtected, twoPeople, threadsSince, openedVersion } = row;
  return {
    comments,
    protected: isProtected === 1,
    twoPeople: twoPeople === 1,
    threadsSince,
    opening: openingOf(threadsSince, openedVersion),
  };
}

export async function upsertReviewSettings(
  db: Writer,
  documentId: string,
  { comments, protected: isProtected, twoPeople, threadsSince }: ReviewSettings,
): Promise<void> {
  const values = {
    comments,
    protected: isProtected ? 1 : 0,
    twoPeople: twoPeople ? 1 : 0,
    threadsSince,
  } as const;
  await db
    .insertInto('review_setting')
    .values({ documentId, ...values })
    .onConflict((conflict) => conflict.column('documentId').doUpdateSet(values))
    .execute();
}
