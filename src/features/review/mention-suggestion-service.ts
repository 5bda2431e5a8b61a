import type { Actor, Context } from '../../core/context.ts';
import { levelOfMembers } from '../../core/document/access-rules.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { suggestUsers } from '../profiles/user-suggestion-service.ts';
import { listPeopleOf } from './mention-suggestion-store.ts';

/** The most suggestions returned. */
const MAX_SUGGESTIONS = 8;

/**
 * Suggests usernames to mention in a comment on a document: first people who have access, then
 * others, who aren't told of it. Members of an organization are suggested as people with access only
 * to its members, because others can't list them.
 *
 * @param prefix case ignored; with an empty one, only people who have access are suggested
 * @throws NOT_FOUND; FORBIDDEN if the actor can't comment
 */
export async function suggestMentions(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  prefix: string,
): Promise<{ username: string; hasAccess: boolean }[]> {
  const { document } = await requireReview(context.sql.read, actor, ref, 'comment');
  if (!/^[a-z0-9-]{0,39}$/i.test(prefix)) return [];
  const people = await listPeopleOf(context.sql.read, {
    documentId: document.id,
    ownerId: document.ownerId,
    actorId: actor.id,
    prefix: prefix.toLowerCase(),
    roles: rolesWithAccess(document),
    limit: MAX_SUGGESTIONS,
  });
  const others = people.length < MAX_SUGGESTIONS ? await suggestUsers(context, actor, prefix) : [];
  return [
    ...people.map((username) => ({ username, hasAccess: true })),
    ...others
      .filter((username) => !people.includes(username))
      .map((username) => ({ username, hasAccess: false })),
  ].slice(0, MAX_SUGGESTIONS);
}

/** Returns the roles that give access to an organization's document, if the actor is a member. */
function rolesWithAccess(document: DocumentRow): ('admin' | 'member')[] {
  if (document.ownerType !== 'organization' || document.role === null) return [];
  const { visibility, defaultBriefPermission } = document;
  const canMembers = levelOfMembers(visibility, defaultBriefPermission) !== 'none';
  return canMembers ? ['admin', 'member'] : ['admin'];
}
