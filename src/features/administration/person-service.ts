import { FieldError, ServiceError } from '../../base/errors.ts';
import { emailKey } from '../../base/text/email-address.ts';
import type { AuditAction } from '../../core/audit/actions.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import {
  addAccount,
  changeDisabled,
  requireAccount,
  requireEmail,
} from '../../core/identity/account-service.ts';
import {
  type AccountRow,
  updateEmail,
  updateEmailVerified,
} from '../../core/identity/account-store.ts';
import { changeAdmin, requireAdmin, requireOtherAdmin } from '../../core/identity/admin.ts';
import { deleteAccountGrants } from '../../core/identity/grant-store.ts';
import { requirePerson } from '../../core/identity/person-acts.ts';
import { deleteSessions } from '../../core/identity/session-store.ts';
import { queueSecurityNotice, queueVerificationMail } from '../../core/outbox/queue-service.ts';
import { insertPendingOf } from '../../core/outbox/search-pending-store.ts';
import type { SecurityEvent } from '../../core/outbox/security-notice.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { renameOwner } from '../../core/owner/namespace-service.ts';
import { changeOwned, changeOwnedByTwo } from '../../core/owner/owner-service.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import {
  type AccountDeletion,
  deleteUser,
  describeUserDeletion,
} from '../accounts/account-deletion-service.ts';
import { requirePasswords, resetLink } from '../accounts/reset-service.ts';
import { unlockAccount } from '../accounts/sign-in-service.ts';
import { type HandOver, handOver } from '../moves/hand-over-service.ts';
import { deleteRenditionsNaming, revokeAllTokens } from './people-store.ts';

/** Who acts: an administrator of the instance, or an operator with a command. */
export type By = Actor | undefined;

/** What can be changed of an account. */
export interface PersonChange {
  username?: string | undefined;
  /** The new address isn't verified, unless `emailVerified` is given, too. */
  email?: string | undefined;
  emailVerified?: true | undefined;
  disabled?: boolean | undefined;
  /** With `disabled`: who gets all its documents before. */
  handOverTo?: string | undefined;
  admin?: boolean | undefined;
}

/**
 * Creates an account without a password, and asks its address to be verified.
 *
 * @param input.withLink whether to make a link with which the person sets a password, once, within a
 *   day
 * @throws FORBIDDEN; BAD_REQUEST or UNPROCESSABLE naming `username` or `email`
 */
export async function createPerson(
  context: Context,
  by: By,
  input: { username: string; email: string; withLink: boolean },
): Promise<{ account: AccountRow; link: string | undefined }> {
  if (input.withLink) {
    requirePerson(by, 'makeResetLink');
    requirePasswords(context);
  }
  const account = await context.sql.transaction(async (tx) => {
    await requireBy(tx, by);
    const added = await addAccount(context, tx, input, by);
    await queueVerificationMail(context, tx, added.id);
    if (input.withLink) await record(context, tx, by, added, 'account.reset_link');
    return added;
  });
  return {
    account,
    link: input.withLink
      ? await resetLink(context, account.username, { isRecorded: true })
      : undefined,
  };
}

/**
 * Changes an account. Tells its owner by mail about each change.
 *
 * @returns the account as it is then
 * @throws FORBIDDEN; NOT_FOUND; BAD_REQUEST or UNPROCESSABLE naming the field, or because no
 *   administrator would be left
 */
export async function changePerson(
  context: Context,
  by: By,
  username: string,
  change: PersonChange,
): Promise<AccountRow> {
  const work = async (tx: Writer): Promise<AccountRow> => {
    await requireBy(tx, by);
    let account = await requireAccount(tx, username);
    if (change.email !== undefined) account = await changeAddress(context, tx, by, account, change);
    if (change.emailVerified) account = await verifyAddress(context, tx, by, account);
    if (change.username !== undefined) {
      account = await rename(context, tx, by, account, change.username);
    }
    if (change.admin !== undefined) {
      account = await appoint(context, tx, by, account, change.admin);
    }
    if (change.disabled !== undefined) {
      account = await disable(context, tx, by, account, change.disabled);
    }
    return account;
  };
  if (change.handOverTo !== undefined) {
    await handOverBefore(context, by, username, { to: change.handOverTo });
  }
  const changed = await (change.username === undefined
    ? changeOwned(context, username, work)
    : changeOwnedByTwo(context, [username, change.username], work));
  context.wakeIndexer();
  return changed;
}

async function changeAddress(
  context: Context,
  tx: Writer,
  by: By,
  account: AccountRow,
  change: PersonChange,
): Promise<AccountRow> {
  requirePerson(by, 'changeAddress');
  const email = requireEmail(change.email as string);
  if (email === account.email) return account;
  // Goes to the former address.
  if (emailKey(email) !== emailKey(account.email)) {
    await tell(context, tx, by, account, { what: 'email' });
  }
  if (!(await updateEmail(tx, account.id, email))) {
    throw new FieldError('UNPROCESSABLE', 'email', 'another account uses this email address.');
  }
  if (!change.emailVerified) await queueVerificationMail(context, tx, account.id);
  await record(context, tx, by, account, 'account.email_changed');
  return { ...account, email, emailVerifiedAt: null };
}

async function verifyAddress(
  context: Context,
  tx: Writer,
  by: By,
  account: AccountRow,
): Promise<AccountRow> {
  requirePerson(by, 'changeAddress');
  if (account.emailVerifiedAt !== null) return account;
  const { id, email } = account;
  const at = context.now();
  await updateEmailVerified(tx, { id, email, at });
  await tell(context, tx, by, account, { what: 'verified' });
  await record(context, tx, by, account, 'account.email_verified');
  return { ...account, emailVerifiedAt: at };
}

async function rename(
  context: Context,
  tx: Writer,
  by: By,
  account: AccountRow,
  to: string,
): Promise<AccountRow> {
  requirePerson(by, 'rename');
  const { id, username: namespace } = account;
  const username = await renameOwner(context, tx, { id, type: 'user', namespace }, to, 'username');
  if (username === namespace) return account;
  await deleteRenditionsNaming(tx, id);
  await insertPendingOf(tx, id);
  const renamed = { ...account, username };
  await tell(context, tx, by, renamed, { what: 'renamed', from: namespace });
  await record(context, tx, by, renamed, 'account.renamed', { from: namespace });
  return renamed;
}

async function appoint(
  context: Context,
  tx: Writer,
  by: By,
  account: AccountRow,
  isAdmin: boolean,
): Promise<AccountRow> {
  const changed = await changeAdmin(context, tx, account, isAdmin, by);
  if (changed !== account) await tell(context, tx, by, account, { what: 'admin', isAdmin });
  return changed;
}

async function disable(
  context: Context,
  tx: Writer,
  by: By,
  account: AccountRow,
  disabled: boolean,
): Promise<AccountRow> {
  if ((account.disabledAt !== null) === disabled) return account;
  if (by && disabled) await requireOtherAdmin(tx, by, account);
  await tell(context, tx, by, account, { what: disabled ? 'disabled' : 'enabled' });
  return changeDisabled(context, tx, account, disabled, by);
}

/** Hands documents over, unless the account can't be disabled or deleted next. */
async function handOverBefore(
  context: Context,
  by: By,
  username: string,
  to: HandOver,
): Promise<void> {
  await context.sql.transaction(async (tx) => {
    if (by) await requireOtherAdmin(tx, by, await requireAccount(tx, username));
  });
  await handOver(context, by, username, to);
}

/** Describes what deleting an account would delete, and what blocks it. @throws FORBIDDEN; NOT_FOUND */
export async function describeDeletion(
  context: Context,
  by: By,
  username: string,
): Promise<AccountDeletion> {
  if (by) await requireAdmin(context.sql.read, by);
  return describeUserDeletion(context, username);
}

/**
 * Deletes an account with everything that it owns, or after its documents were handed over, with its
 * files.
 *
 * @param input.confirmation the username, case ignored; without it, nobody has to type it
 * @param input.documents without it, an account that has documents isn't deleted
 * @throws FORBIDDEN; NOT_FOUND; UNPROCESSABLE naming `confirmation`, `documents` or `to`, or the
 *   organizations whose only admin is the user, or because no administrator would be left;
 *   QuotaExceeded of the new owner
 */
export async function deletePerson(
  context: Context,
  by: By,
  username: string,
  {
    confirmation,
    documents,
  }: {
    confirmation?: string;
    documents?: 'delete' | { to: string } | undefined;
  },
): Promise<void> {
  if (by) await requireAdmin(context.sql.read, by);
  if (
    confirmation !== undefined &&
    parseNamespace(confirmation.trim()) !== parseNamespace(username)
  ) {
    throw new FieldError('UNPROCESSABLE', 'confirmation', `type “${username}” to confirm.`);
  }
  if (typeof documents === 'object') {
    const { lastAdminOf } = await describeUserDeletion(context, username);
    // The deletion will be refused, so nothing is handed over.
    if (lastAdminOf.length > 0) return deleteUser(context, username, undefined, by);
    await handOverBefore(context, by, username, { ...documents, withFiles: true });
  }
  await deleteUser(context, username, undefined, by, documents !== 'delete');
}

/** Signs somebody out everywhere. @throws FORBIDDEN; NOT_FOUND */
export async function endSessionsOf(context: Context, by: By, username: string): Promise<void> {
  await onAccount(context, by, username, async (tx, account) => {
    await deleteSessions(tx, account.id);
    await tell(context, tx, by, account, { what: 'sessions' });
    await record(context, tx, by, account, 'account.sessions_ended');
  });
}

/** Revokes all tokens of somebody and disconnects all their applications. @throws FORBIDDEN; NOT_FOUND */
export async function revokeAccessOf(context: Context, by: By, username: string): Promise<void> {
  await onAccount(context, by, username, async (tx, account) => {
    await revokeAllTokens(tx, account.id, context.now());
    await deleteAccountGrants(tx, account.id);
    await tell(context, tx, by, account, { what: 'access' });
    await record(context, tx, by, account, 'account.access_revoked');
  });
}

/** Lets somebody sign in again after too many failed attempts. @throws FORBIDDEN; NOT_FOUND */
export async function unlockPerson(context: Context, by: By, username: string): Promise<void> {
  requirePerson(by, 'unlock');
  await onAccount(context, by, username, async (tx, account) => {
    await tell(context, tx, by, account, { what: 'unlocked' });
    await record(context, tx, by, account, 'account.unlocked');
  });
  await unlockAccount(context, username, { isRecorded: true });
}

/**
 * Makes a link with which somebody sets a new password, once, within a day.
 *
 * @throws FORBIDDEN; NOT_FOUND; UNPROCESSABLE if the account is disabled
 */
export async function makeResetLink(context: Context, by: By, username: string): Promise<string> {
  requirePerson(by, 'makeResetLink');
  requirePasswords(context);
  await onAccount(context, by, username, async (tx, account) => {
    if (account.disabledAt !== null) {
      throw new ServiceError('UNPROCESSABLE', 'This account is disabled. Enable it first.');
    }
    await tell(context, tx, by, account, { what: 'resetLink' });
    await record(context, tx, by, account, 'account.reset_link');
  });
  return resetLink(context, username, { isRecorded: true });
}

function onAccount(
  context: Context,
  by: By,
  username: string,
  work: (tx: Writer, account: AccountRow) => Promise<void>,
): Promise<void> {
  return context.sql.transaction(async (tx) => {
    await requireBy(tx, by);
    await work(tx, await requireAccount(tx, username));
  });
}

/** Checks that an administrator still is one. @throws FORBIDDEN */
export async function requireBy(tx: Writer, by: By): Promise<void> {
  if (by) await requireAdmin(tx, by);
}

/** Mails the owner of an account what was done to it. */
export function tell(
  context: Context,
  tx: Writer,
  by: By,
  { id }: Pick<AccountRow, 'id'>,
  event: SecurityEvent,
): Promise<void> {
  return queueSecurityNotice(context, tx, id, event, by ? { byAdmin: true } : { byOperator: true });
}

function record(
  context: Context,
  tx: Writer,
  by: By,
  account: AccountRow,
  action: AuditAction,
  detail?: Readonly<Record<string, string>>,
): Promise<void> {
  return audit(context, tx, {
    action,
    ...(by && { actor: by }),
    accountId: account.id,
    subject: account.username,
    ...(detail && { detail }),
  });
}
