import { FieldError } from '../../base/errors.ts';
import type { Actor, Context } from '../../core/context.ts';
import { allow } from '../../core/document/access-rules.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { findAccountIds } from '../../core/identity/account-store.ts';
import { findCommentReader, InvitationPending } from '../../core/review/review-authorize.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { isExpired } from '../invitations/invitation-state.ts';
import { findInvitationOf } from '../invitations/invitation-store.ts';

/**
 * Returns the id of the person with this name, if they can read the document and its comments.
 *
 * @param document loaded for the actor
 * @throws UNPROCESSABLE if they can't; InvitationPending if they are invited and the actor can see
 *   invitations
 */
export async function requireReviewer(
  context: Context,
  db: Reader,
  actor: Actor,
  document: DocumentRow,
  username: string,
): Promise<string> {
  const id = await findCommentReader(db, document, username);
  if (id !== undefined) return id;
  if (canSeeInvitations(actor, document) && (await isInvited(context, db, document, username))) {
    throw new InvitationPending(username);
  }
  throw new FieldError(
    'UNPROCESSABLE',
    'username',
    `no user “${username}” can read the document and its comments. Share it with them first.`,
  );
}

/**
 * Tells whether the actor can see the document's invitations. Others must not learn from a refusal
 * whether someone is invited.
 */
function canSeeInvitations(actor: Actor, document: DocumentRow): boolean {
  return allow(actor, 'share', document) && actor.scopes.includes('sharing');
}

async function isInvited(
  context: Context,
  db: Reader,
  document: DocumentRow,
  username: string,
): Promise<boolean> {
  const [userId] = await findAccountIds(db, [username]);
  if (userId === undefined) return false;
  const invitation = await findInvitationOf(db, { documentId: document.id }, { userId });
  return invitation !== undefined && !isExpired(invitation, context.now());
}
