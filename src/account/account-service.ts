import type { Actor, Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';
import { unwantedCharacter } from '../text/shown-name.ts';
import {
  type AccountRow,
  findAccountById,
  findAccountByUsername,
  insertAccount,
  listAccounts,
  updateAccountDisabled,
} from './account-store.ts';
import { isReservedNamespace, parseNamespace } from './namespace.ts';
import { insertOwner } from './owner-store.ts';

const MAX_EMAIL_LENGTH = 254;

/** The caller's own account. */
export async function getOwnAccount(context: Context, actor: Actor): Promise<AccountRow> {
  const account = await findAccountById(context.sql.read, actor.id);
  if (!account) throw new ServiceError('NOT_FOUND', 'This account no longer exists.');
  return account;
}

/**
 * Makes sure that an account is still there, for a transaction that adds to it: whoever was let in
 * by it may have taken a while to get there.
 *
 * @throws UNAUTHORIZED
 */
export async function requireAccountStill(db: Reader, id: string): Promise<void> {
  if (await findAccountById(db, id)) return;
  throw new ServiceError('UNAUTHORIZED', 'This account no longer exists.');
}

/**
 * The user with this username, case ignored.
 *
 * @throws NOT_FOUND when there is none; an organization is none
 */
export async function requireAccount(db: Reader, username: string): Promise<AccountRow> {
  const namespace = parseNamespace(username);
  const account = namespace && (await findAccountByUsername(db, namespace));
  if (!account) throw new ServiceError('NOT_FOUND', 'username: no user has this name.');
  return account;
}

/**
 * Makes an account.
 *
 * @param input.passwordHash as `hashPassword` gives it; without one, nobody can sign in with a
 *   password yet
 * @throws BAD_REQUEST for a malformed username or email, UNPROCESSABLE for a taken or reserved one
 */
export function createAccount(
  context: Context,
  input: { username: string; email: string; passwordHash?: string | null },
): Promise<AccountRow> {
  return context.sql.transaction((tx) => addAccount(context, tx, input));
}

/** {@link createAccount}, as a part of a larger transaction. */
export async function addAccount(
  context: Context,
  tx: Writer,
  input: { username: string; email: string; passwordHash?: string | null },
): Promise<AccountRow> {
  const email = requireEmail(input.email);
  const createdAt = context.now();
  const owner = await takeNamespace(context, tx, 'user', input.username, 'username');
  const { passwordHash = null } = input;
  if (!(await insertAccount(tx, { id: owner.id, email, passwordHash, createdAt }))) {
    throw new ServiceError('UNPROCESSABLE', 'email: somebody has an account with this address.');
  }
  return { id: owner.id, username: owner.namespace, email, disabledAt: null, createdAt };
}

/** The email address that a text is, white space around it aside. @throws BAD_REQUEST */
export function requireEmail(text: string): string {
  const email = text.trim();
  const isTooLong = email.length > MAX_EMAIL_LENGTH;
  if (isTooLong || !/^[^\s@]+@[^\s@]+$/.test(email) || unwantedCharacter(email)) {
    throw new ServiceError('BAD_REQUEST', 'email: must be an email address.');
  }
  return email;
}

/**
 * Takes a namespace for a new user or organization.
 *
 * @param field the caller's name for it, for messages
 * @throws BAD_REQUEST when malformed, UNPROCESSABLE when taken or reserved
 */
export async function takeNamespace(
  context: Context,
  tx: Writer,
  type: 'user' | 'organization',
  text: string,
  field: string,
): Promise<{ id: string; namespace: string }> {
  const namespace = requireNamespace(context, text, field);
  const id = context.newId();
  if (!(await insertOwner(tx, { id, type, namespace }))) {
    throw new ServiceError('UNPROCESSABLE', `${field}: "${namespace}" is taken.`);
  }
  return { id, namespace };
}

/**
 * The namespace that a text names, which somebody may have already.
 *
 * @throws BAD_REQUEST when malformed, UNPROCESSABLE when reserved
 */
export function requireNamespace(context: Context, text: string, field: string): string {
  const namespace = parseNamespace(text);
  if (!namespace) {
    throw new ServiceError(
      'BAD_REQUEST',
      `${field}: must be 1 to 39 letters a-z, digits and single hyphens between them.`,
    );
  }
  if (isReservedNamespace(namespace, context.reservedSegments)) {
    throw new ServiceError('UNPROCESSABLE', `${field}: "${namespace}" is reserved.`);
  }
  return namespace;
}

/** Every account, newest first. */
export function listAllAccounts(context: Context): Promise<AccountRow[]> {
  return listAccounts(context.sql.read);
}

/**
 * Locks an account out or lets it in again. Its tokens stop working at once and, when it is let in
 * again, work as before; its documents stay.
 *
 * @throws NOT_FOUND
 */
export async function setAccountDisabled(
  context: Context,
  username: string,
  disabled: boolean,
): Promise<AccountRow> {
  return context.sql.transaction(async (tx) => {
    const account = await requireAccount(tx, username);
    const disabledAt = disabled ? (account.disabledAt ?? context.now()) : null;
    await updateAccountDisabled(tx, account.id, disabledAt);
    return { ...account, disabledAt };
  });
}
