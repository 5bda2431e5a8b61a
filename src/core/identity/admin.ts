import { ServiceError } from '../../base/errors.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { audit } from '../audit/audit.ts';
import type { Actor, Context } from '../context.ts';
import { requireAccount } from './account-service.ts';
import { type AccountRow, findAccountById, updateAdminSince } from './account-store.ts';

/** Tells whether somebody administers the instance. */
export async function isAdmin(db: Reader, accountId: string): Promise<boolean> {
  const account = await findAccountById(db, accountId);
  return account !== undefined && account.adminSince !== null && account.disabledAt === null;
}

/** Checks that somebody administers the instance. @throws FORBIDDEN */
export async function requireAdmin(db: Reader, actor: Pick<Actor, 'id'>): Promise<void> {
  if (await isAdmin(db, actor.id)) return;
  throw new ServiceError('FORBIDDEN', 'Only administrators of this instance can do this.');
}

/**
 * Makes somebody an administrator of the instance, or no longer one.
 *
 * @param actor who does it; without one, an operator's command
 * @throws NOT_FOUND
 */
export function setAdmin(
  context: Context,
  actor: Actor | undefined,
  { username, isAdmin }: { username: string; isAdmin: boolean },
): Promise<AccountRow> {
  return context.sql.transaction(async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    const account = await requireAccount(tx, username);
    if ((account.adminSince !== null) === isAdmin) return account;
    const adminSince = isAdmin ? context.now() : null;
    await updateAdminSince(tx, account.id, adminSince);
    await audit(context, tx, {
      action: isAdmin ? 'account.admin_granted' : 'account.admin_revoked',
      ...(actor && { actor }),
      accountId: account.id,
      subject: account.username,
    });
    return { ...account, adminSince };
  });
}
