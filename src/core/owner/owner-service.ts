import type { Writer } from '../../storage/sql/sql.ts';
import type { Context } from '../context.ts';
import { parseNamespace } from './namespace.ts';
import { lockOwner } from './owner-store.ts';

/**
 * Runs a transaction that changes what an owner has: documents with their collaborators and
 * invitations, members, settings. One runs at a time per owner, so what it reads still holds when
 * it writes. Every check followed by a write must use it.
 *
 * @param owner a namespace as the caller gave it; if no owner can have it, nothing is locked
 * @param work see the transactions of {@link Context.sql}
 */
export function changeOwned<T>(
  context: Context,
  owner: string,
  work: (tx: Writer) => Promise<T>,
): Promise<T> {
  const key = parseNamespace(owner);
  const exclusive = key ? { key, lock: (tx: Writer) => lockOwner(tx, key) } : undefined;
  return context.sql.transaction(work, { exclusive });
}

/**
 * Does the same as {@link changeOwned} for a change of what two owners have. Always locks them in
 * the same order, so that two such changes can't deadlock.
 */
export function changeOwnedByTwo<T>(
  context: Context,
  owners: readonly [string, string],
  work: (tx: Writer) => Promise<T>,
): Promise<T> {
  const keys = owners.flatMap((owner) => parseNamespace(owner) ?? []).sort();
  const [key] = keys;
  if (key === undefined) return context.sql.transaction(work);
  const lock = async (tx: Writer) => {
    for (const each of keys) await lockOwner(tx, each);
  };
  return context.sql.transaction(work, { exclusive: { key, lock } });
}
