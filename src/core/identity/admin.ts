import { ServiceError } from '../../base/errors.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { audit } from '../audit/audit.ts';
import type { Actor, Context } from '../context.ts';
import { requireAccount } from './account-service.ts';
import { type AccountRow, findAccountById, lockAdmins, updateAdminSince } from './account-store.ts';
import { requirePerson } from './person-acts.ts';

/** Tells whether somebody administers the instance. */
export async function isAdmin(db: Reader, accountId: string): Promise<boolean> {
  const account = await findAccountById(db, accountId);
  return account !== undefined && account.adminSince !== null && account.disabledAt === null;
}

/** Checks that somebody administers the instance. @throws FORBIDDEN */
export async function requireAdmin(db: Reader, actor: Pick<Actor, 'id'>): Promise<void> {
  if (await isAdmin(db, actor.id)) return;
  throw notAdmin();
}

/**
 * Makes somebody an administrator of the instance, or no longer one.
 *
 * @param actor who does it; without one, an operator's command
 * @throws NOT_FOUND; UNPROCESSABLE if no administrator would be left, except for an operator
 */
export function setAdmin(
  context: Context,
  actor: Actor | undefined,
  { username, isAdmin }: { username: string; isAdmin: boolean },
): Promise<AccountRow> {
  return context.sql.transaction(async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    const account = await requireAccount(tx, username);
    return changeAdmin(context, tx, account, isAdmin, actor);
  });
}

/** Does the same as {@link setAdmin} inside a larger transaction, which has checked the actor. */
export async function changeAdmin(
  context: Context,
  tx: Writer,
  account: AccountRow,
  isAdmin: boolean,
  actor: Actor | undefined,
): Promise<AccountRow> {
  requirePerson(actor, 'makeAdministrator');
  if ((account.adminSince !== null) === isAdmin) return account;
  if (actor && !isAdmin) await requireOtherAdmin(tx, actor, account);
  const adminSince = isAdmin ? context.now() : null;
  await updateAdminSince(tx, account.id, adminSince);
  await audit(context, tx, {
    action: isAdmin ? 'account.admin_granted' : 'account.admin_revoked',
    ...(actor && { actor }),
    accountId: account.id,
    subject: account.username,
  });
  return { ...account, adminSince };
}

/**
 * Checks, before an account is disabled, deleted or no longer administers the instance, that the actor
 * does so still and that somebody else does, too. This holds until the transaction ends.
 *
 * @throws FORBIDDEN; UNPROCESSABLE
 */
export async function requireOtherAdmin(
  tx: Writer,
  actor: Pick<Actor, 'id'>,
  account: Pick<AccountRow, 'id' | 'username' | 'adminSince'>,
): Promise<void> {
  if (account.adminSince === null) return;
  const admins = await lockAdmins(tx);
  if (!admins.includes(actor.id)) throw notAdmin();
  if (admins.some((id) => id !== account.id)) return;
  throw new ServiceError(
    'UNPROCESSABLE',
    `${account.username} is the last administrator of this instance. Make someone else one first.`,
  );
}

function notAdmin(): ServiceError {
  return new ServiceError('FORBIDDEN', 'Only administrators of this instance can do this.');
}
