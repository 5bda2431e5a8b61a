import type { Call } from '../../core/context.ts';
import { listUsernames } from './user-suggestion-store.ts';

/** The most suggestions returned. */
const MAX_SUGGESTIONS = 8;

/** How many of the first matches are checked for acquaintances, who come first. */
const WINDOW = 50;

/**
 * Suggests usernames that begin with a prefix, without the actor's own and disabled accounts. Users
 * who share an organization or one of the actor's documents with the actor come first.
 *
 * @param prefix case ignored; one that no username can have matches none
 * @param limit 1 to 8
 */
export async function suggestUsers(
  call: Call,
  prefix: string,
  limit: number = MAX_SUGGESTIONS,
): Promise<string[]> {
  if (!/^[a-z0-9-]{1,39}$/i.test(prefix)) return [];
  return listUsernames(call.sql.read, {
    prefix: prefix.toLowerCase(),
    actorId: call.actor.id,
    window: WINDOW,
    limit: Math.min(Math.max(1, Math.trunc(limit) || 1), MAX_SUGGESTIONS),
  });
}
