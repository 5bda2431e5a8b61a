import { FieldError, ServiceError } from '../../base/errors.ts';
import { parseEmailAddress } from '../../base/text/email-address.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { audit } from '../audit/audit.ts';
import type { Actor, Call, Context } from '../context.ts';
import { returnDocuments, withdrawDocuments } from '../document/withdrawal-store.ts';
import { parseNamespace } from '../owner/namespace.ts';
import { takeNamespace } from '../owner/namespace-service.ts';
import { changeOwned } from '../owner/owner-service.ts';
import {
  type AccountRow,
  findAccountById,
  findAccountByUsername,
  insertAccount,
  isOnlyAccount,
  updateAccountDisabled,
  updateAdminSince,
} from './account-store.ts';
import { deleteSessions } from './session-store.ts';

/** Returns the actor's own account. @throws NOT_FOUND if it is gone */
export async function getOwnAccount(call: Call): Promise<AccountRow> {
  const account = await findAccountById(call.sql.read, call.actor.id);
  if (!account) throw new ServiceError('NOT_FOUND', 'This account no longer exists.');
  return account;
}

/**
 * Checks, in a transaction that adds to an account, that it can still be used: it may have been
 * deleted or disabled since the request was authenticated.
 *
 * @throws UNAUTHORIZED
 */
export async function requireExistingAccount(db: Reader, id: string): Promise<void> {
  const account = await findAccountById(db, id);
  if (!account) throw new ServiceError('UNAUTHORIZED', 'This account no longer exists.');
  if (account.disabledAt !== null) {
    throw new ServiceError('UNAUTHORIZED', 'This account is disabled.');
  }
}

/**
 * Returns the user with this username, case ignored.
 *
 * @throws NOT_FOUND if there is none, or the name is an organization's
 */
export async function requireAccount(db: Reader, username: string): Promise<AccountRow> {
  const namespace = parseNamespace(username);
  const account = namespace && (await findAccountByUsername(db, namespace));
  if (!account) throw noUser(username);
  return account;
}

/**
 * Does the same as {@link requireAccount} for others than operators: someone whose account is
 * disabled isn't there.
 *
 * @throws NOT_FOUND
 */
export async function requireUser(db: Reader, username: string): Promise<AccountRow> {
  const account = await requireAccount(db, username);
  if (account.disabledAt !== null) throw noUser(username);
  return account;
}

function noUser(username: string): FieldError {
  return new FieldError('NOT_FOUND', 'username', `no user “${username.slice(0, 100)}”.`);
}

export interface NewAccount {
  username: string;
  email: string;
  /** From `hashPassword`; without it, the user can't sign in with a password yet. */
  passwordHash?: string | null;
  /** Whether an identity provider or an invitation's link says that the address is the user's. */
  isEmailVerified?: boolean;
  /** Takes the username even if it is reserved after its last owner was deleted. */
  reuseName?: boolean;
}

/**
 * Creates an account.
 *
 * @throws BAD_REQUEST for a malformed username or email, UNPROCESSABLE for a taken or reserved one
 */
export function createAccount(context: Context, input: NewAccount): Promise<AccountRow> {
  return context.sql.transaction((tx) => addAccount(context, tx, input));
}

/**
 * Does the same as {@link createAccount} inside a larger transaction. With `FIRST_ACCOUNT=admin`, the
 * first account administers the instance.
 */
export async function addAccount(
  context: Context,
  tx: Writer,
  input: NewAccount,
  by?: Actor,
): Promise<AccountRow> {
  const { passwordHash = null, reuseName = false, isEmailVerified = false } = input;
  const email = requireEmail(input.email);
  const createdAt = context.now();
  const owner = await takeNamespace(context, tx, 'user', input.username, {
    field: 'username',
    reuse: reuseName,
  });
  const emailVerifiedAt = isEmailVerified ? createdAt : null;
  const account = { id: owner.id, email, emailVerifiedAt, passwordHash, createdAt };
  if (!(await insertAccount(tx, account))) {
    throw new FieldError('UNPROCESSABLE', 'email', 'another account uses this email address.');
  }
  const { id, namespace: username } = owner;
  const created = { action: 'account.created', accountId: id, subject: username } as const;
  await audit(context, tx, { ...created, ...(by && { actor: by }) });
  const isAdmin = context.firstAccountIsAdmin && (await isOnlyAccount(tx, id));
  if (isAdmin) {
    await updateAdminSince(tx, id, createdAt);
    await audit(context, tx, {
      action: 'account.admin_granted',
      accountId: id,
      subject: username,
      detail: { firstAccount: true },
    });
  }
  return {
    id,
    username,
    email,
    emailVerifiedAt,
    disabledAt: null,
    adminSince: isAdmin ? createdAt : null,
    signedInAt: null,
    createdAt,
  };
}

/**
 * Parses an email address, ignoring surrounding white space (see {@link parseEmailAddress}).
 *
 * @throws BAD_REQUEST naming `email`
 */
export function requireEmail(text: string): string {
  const email = parseEmailAddress(text.trim());
  if (email === undefined) {
    throw new FieldError(
      'BAD_REQUEST',
      'email',
      'must be an email address, such as ada@example.com.',
    );
  }
  return email;
}

/**
 * Disables or enables an account. Disabling ends its sessions. While it is disabled, its tokens and
 * apps don't work, and of its documents only their collaborators can read what was shared with them.
 *
 * @param actor who does it; without one, an operator's command
 * @throws NOT_FOUND
 */
export async function setAccountDisabled(
  context: Context,
  username: string,
  disabled: boolean,
  actor?: Actor,
): Promise<AccountRow> {
  const changed = await changeOwned(context, username, async (tx) => {
    const account = await requireAccount(tx, username);
    return changeDisabled(context, tx, account, disabled, actor);
  });
  context.wakeIndexer();
  return changed;
}

/**
 * Does the same as {@link setAccountDisabled} inside a larger transaction, which has locked the user
 * as an owner and wakes the indexer afterwards.
 */
export async function changeDisabled(
  context: Context,
  tx: Writer,
  account: AccountRow,
  disabled: boolean,
  actor?: Actor,
): Promise<AccountRow> {
  const disabledAt = disabled ? (account.disabledAt ?? context.now()) : null;
  await updateAccountDisabled(tx, account.id, disabledAt);
  await (disabled ? withdrawDocuments : returnDocuments)(tx, account.id);
  if (disabled) await deleteSessions(tx, account.id);
  if ((account.disabledAt !== null) !== disabled) {
    await audit(context, tx, {
      action: disabled ? 'account.disabled' : 'account.enabled',
      ...(actor && { actor }),
      accountId: account.id,
      subject: account.username,
    });
  }
  return { ...account, disabledAt };
}
