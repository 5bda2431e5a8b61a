import type { Context } from '../../core/context.ts';
import { listUsernamesOf } from '../../core/identity/account-store.ts';

/** Returns the usernames of accounts by id; a deleted account has no entry. */
export async function usernamesOf(
  context: Context,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, string>> {
  const known = ids.filter((id) => id !== null);
  if (known.length === 0) return new Map();
  const rows = await listUsernamesOf(context.sql.read, known);
  return new Map(rows.map(({ id, username }) => [id, username]));
}
