import type { Context } from '../context.ts';
import type { TransactionOptions, Writer } from '../storage/sql/sql.ts';
import { parseNamespace } from './namespace.ts';
import { lockOwner } from './owner-store.ts';

/**
 * Runs a transaction that changes what an owner has: documents with their collaborators and
 * invitations, members, settings. One runs at a time per owner, so what it reads still holds when
 * it writes. Every check followed by a write must use it.
 *
 * @param owner a namespace as the caller gave it; if no owner can have it, nothing is locked
 * @param work see the transactions of {@link Context.sql}, also for `options`
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
