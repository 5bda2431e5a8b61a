import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Actor } from '../context.ts';
import { decide, type Level } from '../document/access-rules.ts';
import { refuseProgram, requireAction, requireDocument } from '../document/authorize.ts';
import type { DocumentRef } from '../document/document-ref.ts';
import { type DocumentRow, findDocumentById } from '../document/document-store.ts';
import { findAccountIds } from '../identity/account-store.ts';
import { type CommentSetting, canReview, type ReviewAction } from './review-access.ts';
import { findReviewSettings } from './review-setting-store.ts';
import { type Sight, sightOf } from './sight.ts';
import type { ThreadRow } from './thread-store.ts';

/** A document with the actor's standing, and who can comment on it. */
export interface Reviewed {
  document: DocumentRow;
  level: Level;
  comments: CommentSetting;
  /** Which of its threads and reviews the actor sees. */
  sight: Sight;
}

/** The messages for someone who can read a document but can't do an action. */
export const DENIED: Record<ReviewAction, string> = {
  see: 'Only the owner, collaborators and members see the comments on this document.',
  comment: 'You can’t comment on this document.',
  close: 'Only the author of the thread and people who can edit the document can do this.',
  moderate: 'Only the author of the comment and admins of the document can do this.',
  accept: 'Only people who can edit the document can accept suggestions.',
  configure: 'Only admins of the document can change this.',
};

/**
 * Returns the document if the actor can do `action`.
 *
 * @throws NOT_FOUND if the document is missing or the actor can't read it; FORBIDDEN
 */
export async function requireReview(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
  action: ReviewAction,
): Promise<Reviewed> {
  const { document, level } = await requireDocument(db, actor, ref, 'read');
  const { comments, opening } = await findReviewSettings(db, document.id);
  if (!canReview(document, comments, action)) {
    await refuseProgram(db, actor, ref, (row) => canReview(row, comments, action));
    throw new ServiceError('FORBIDDEN', DENIED[action]);
  }
  actor.found?.(document.id, action);
  return { document, level, comments, sight: sightOf(document, opening) };
}

/** Requires that the actor can edit the text or comment on it. @throws NOT_FOUND, FORBIDDEN */
export async function requireEditOrComment(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
): Promise<void> {
  const seen = await requireDocument(db, actor, ref, 'read');
  const { comments } = await findReviewSettings(db, seen.document.id);
  if (!canReview(seen.document, comments, 'comment')) requireAction(seen, ref, 'editContent');
}

/** @throws FORBIDDEN unless the actor opened the thread or can edit the document */
export function requireCloser(
  actor: Actor,
  document: DocumentRow,
  comments: CommentSetting,
  thread: ThreadRow,
): void {
  if (thread.accountId === actor.id || canReview(document, comments, 'close')) return;
  throw new ServiceError('FORBIDDEN', DENIED.close);
}

/** Tells whether someone can read a document and its comments. */
export function canSee(standing: DocumentRow, comments: CommentSetting): boolean {
  return decide(standing, 'read') === 'allow' && canReview(standing, comments, 'see');
}

/** Returns the id of the user with this name, if they can read a document and its comments. */
export async function findCommentReader(
  db: Reader,
  document: DocumentRow,
  username: string,
): Promise<string | undefined> {
  const [id] = await findAccountIds(db, [username]);
  const standing = id === undefined ? undefined : await findDocumentById(db, document.id, id);
  const { comments } = await findReviewSettings(db, document.id);
  return standing && canSee(standing, comments) ? id : undefined;
}

/** The requested reviewer has been invited to the document but hasn't accepted yet. */
export class InvitationPending extends FieldError {
  constructor(username: string) {
    super(
      'UNPROCESSABLE',
      'username',
      `the invitation of “${username}” is still pending. You can request the review once they accept it.`,
    );
  }
}
