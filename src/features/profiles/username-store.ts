import type { Reader } from '../../storage/sql/sql.ts';

/** Lists the usernames of these accounts; a deleted one has no entry. */
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
