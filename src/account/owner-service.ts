import type { Context } from '../context.ts';
import type { TransactionOptions, Writer } from '../storage/sql/sql.ts';
import { parseNamespace } from './namespace.ts';
import { lockOwner } from './owner-store.ts';

/**
 * Runs one transaction that changes what belongs to an owner: its documents with their collaborators and
 * invitations, its members, its settings. For each owner one runs at a time, so what it has read still holds when
 * it writes. Every check-then-write goes through here.
 *
 * @param owner a namespace as the caller gave it; nothing can be locked for one that cannot exist
 * @param work as for {@link Context.sql}'s transactions, and so are `options`
 */
export function changeOwned<T>(
  context: Context,
  owner: string,
  work: (tx: Writer) => Promise<T>,
  options: Pick<TransactionOptions, 'freesSpace'> = {},
): Promise<T> {
  const key = parseNamespace(owner);
  const exclusive = key ? { key, lock: (tx: Writer) => lockOwner(tx, key) } : undefined;
  return context.sql.transaction(work, { ...options, exclusive });
}
