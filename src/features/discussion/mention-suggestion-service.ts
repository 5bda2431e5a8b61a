import type { Call } from '../../core/context.ts';
import { isInsider, levelOfMembers } from '../../core/document/access-rules.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { suggestUsers } from '../profiles/user-suggestion-service.ts';
import { listAgentsOf, listPeopleOf } from './mention-suggestion-store.ts';

/** The most suggestions returned. */
const MAX_SUGGESTIONS = 8;

/** Somebody to mention by a username. */
interface Suggested {
  username: string;
  hasAccess: boolean;
  /** The name of the agent that acts for the user. */
  agent?: string;
}

/**
 * Suggests whom to mention in a comment on a document: first people who have access, then their agents
 * that wrote it, whom a mention of their user reaches, then others, who aren't told of it. Members of an
 * organization are suggested as people with access only to its members, because others can't list them;
 * agents only to insiders, who see in the history what they are called.
 *
 * @param prefix case ignored; with an empty one, only people who have access are suggested
 * @throws NOT_FOUND; FORBIDDEN if the actor can't comment
 */
export async function suggestMentions(
  call: Call,
  ref: DocumentRef,
  prefix: string,
): Promise<Suggested[]> {
  const { document } = await requireReview(call.sql.read, call.actor, ref, 'comment');
  if (!/^[a-z0-9-]{0,39}$/i.test(prefix)) return [];
  const { read } = call.sql;
  const { id: documentId, ownerId } = document;
  const typed = prefix.toLowerCase();
  const search = { documentId, ownerId, actorId: call.actor.id, roles: rolesWithAccess(document) };
  const people = await listPeopleOf(read, { ...search, prefix: typed, limit: MAX_SUGGESTIONS });
  const written = isInsider(document) ? await listAgentsOf(read, search) : [];
  const agents = written.filter(({ username, agent }) =>
    [username, agent.toLowerCase()].some((name) => name.startsWith(typed)),
  );
  const others = people.length < MAX_SUGGESTIONS ? await suggestUsers(call, prefix) : [];
  return [
    ...people.map((username) => ({ username, hasAccess: true })),
    ...agents.map((agent) => ({ ...agent, hasAccess: true })),
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
