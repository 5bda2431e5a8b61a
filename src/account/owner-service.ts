import type { Context } from '../context.ts';
import type { TransactionOptions, Writer } from '../storage/sql/sql.ts';
import { parseNamespace } from './namespace.ts';
import { lockOwner } from './owner-store.ts';

/**
 * Runs one transaction that changes what belongs to an owner: its documents with all that hangs on
 * them, its members, its settings. Of these, one runs at a time for each owner, so that what one
 * has read still holds when it writes. Every check-then-write goes through here.
 *
 * @param owner a namespace as it was asked for; of one that nobody has there is nothing to change
 * @param work as for {@link Context.sql}'s transactions, and so are `options`
 */
export function changeOwned<T>(
  context: Context,
  owner: string,
  work: (tx: Writer) => Promise<T>,
  options: Pick<TransactionOptions, 'inOneGo' | 'freesSpace'> = {},
): Promise<T> {
  const key = parseNamespace(owner);
  const turn = key ? { key, lock: (tx: Writer) => lockOwner(tx, key) } : undefined;
  return context.sql.transaction(work, { ...options, turn });
}
