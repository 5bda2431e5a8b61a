import type { Actor, Context } from '../context.ts';
import { listUsernames } from './people-store.ts';

/** The most that is suggested at once. */
const MAX_SUGGESTIONS = 8;

/** Among so many, people whom the actor knows come first. */
const WINDOW = 50;

/**
 * Usernames that somebody may be about to type, without the actor's own and those of disabled
 * accounts: first of people who share an organization or one of the actor's documents with the
 * actor, then the others, each in order.
 *
 * @param prefix how the name begins, case ignored; what no username begins with finds nobody
 * @param limit 1 to 8
 */
export async function suggestPeople(
  context: Context,
  actor: Actor,
  prefix: string,
  limit: number = MAX_SUGGESTIONS,
): Promise<string[]> {
  if (!/^[a-z0-9-]{1,39}$/i.test(prefix)) return [];
  return listUsernames(context.sql.read, {
    prefix: prefix.toLowerCase(),
    actorId: actor.id,
    window: WINDOW,
    limit: Math.min(Math.max(1, Math.trunc(limit) || 1), MAX_SUGGESTIONS),
  });
}
