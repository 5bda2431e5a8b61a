import { ServiceError } from '../../base/errors.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { audit } from '../audit/audit.ts';
import type { Actor, Context } from '../context.ts';
import { requireAccount } from './account-service.ts';
import { type AccountRow, findAccountById, lockAdmins, updateAdminSince } from './account-store.ts';
import { requirePerson } from './person-acts.ts';

/**
 * What the administration shows of accounts, organizations and documents, also of private ones, and
 * what it never shows: not on a screen, by an operation under `/admin`, or by a command that has the
 * same. `test/security/admin-sees.test.ts` walks all of them, and docs/operate/administration.md says
 * the same. Whoever adds something there adds its kind here first.
 */
export const ADMIN_SEES = {
  'usernames and email addresses': true,
  'names of organizations': true,
  'names of documents': true,
  'names of tokens': true,
  'hosts of webhooks': true,
  'reasons of takedowns': true,
  'titles of documents': false,
  'current texts': false,
  'earlier texts': false,
  'texts in the trash': false,
  'what is being typed': false,
  'notes of revisions': false,
  'labels of documents': false,
  'comments and suggestions': false,
  'proposed texts': false,
  'words of reviews': false,
  'files and their names': false,
  'what is in mails': false,
  'addresses of secret links': false,
  'paths of webhooks': false,
  'passwords and tokens': false,
} as const satisfies Record<string, boolean>;
export type AdminFact = keyof typeof ADMIN_SEES;

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
