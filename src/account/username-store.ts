import type { Reader } from '../storage/sql/sql.ts';

/** The usernames of these accounts, as far as they are there. */
export function listUsernamesOf(
  db: Reader,
  ids: readonly string[],
): Promise<{ id: string; username: string }[]> {
  return db
    .selectFrom('owner')
    .where('owner.type', '=', 'user')
    .where('owner.id', 'in', ids)
    .select(['owner.id', 'owner.namespace as username'])
    .execute();
}
