import { FieldError, ServiceError } from '../../base/errors.ts';
import { numberedName } from '../../base/text/document-name.ts';
import { emailKey, parseEmailAddress } from '../../base/text/email-address.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Context } from '../../core/context.ts';
import { addAccount, changeDisabled, requireEmail } from '../../core/identity/account-service.ts';
import {
  type AccountRow,
  findAccountById,
  lockAdmins,
  updateEmail,
  updateEmailVerified,
} from '../../core/identity/account-store.ts';
import { queueSecurityNotice, queueVerificationMail } from '../../core/outbox/queue-service.ts';
import { isReservedNamespace, parseNamespace } from '../../core/owner/namespace.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { findOwner } from '../../core/owner/owner-store.ts';
import { findReleasedAt } from '../../core/owner/released-namespace-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { suggestUsername } from '../accounts/suggested-username.ts';
import {
  type DirectoryRow,
  findGone,
  listPeopleFor,
  updateDirectoryNames,
  type Wanted,
} from './scim-store.ts';

/** A person, as a directory describes them. */
export interface DirectoryPerson {
  userName: string;
  externalId: string | null;
  /** Their address; without one, `userName` is it. */
  email: string | undefined;
  /** Without it, as they are; a new one is active. */
  active: boolean | undefined;
}

/** PostgreSQL stores no text with NUL. */
const NAME = /^\P{C}{1,255}$/u;
const ONE = { offset: 0, size: 1 };

/** How many usernames are tried for a person. */
const MOST_TRIES = 50;

/** @throws NOT_FOUND */
export async function requirePerson(db: Reader, id: string): Promise<DirectoryRow> {
  const [row] = (await listPeopleFor(db, { field: 'id', value: id }, ONE)).items;
  if (!row) throw noSuchUser();
  return row;
}

function heldByGone(): ServiceError {
  return new ServiceError('CONFLICT', 'A deleted user has this address.');
}

function noSuchUser(): ServiceError {
  return new ServiceError('NOT_FOUND', 'There is no user with this id.');
}

/**
 * Creates an account for a person, whose address the directory vouches for. It has no password: it is
 * linked to the provider when they first sign in there. Who was deleted gets their account back.
 *
 * @throws CONFLICT if an account has the name, address or id already; BAD_REQUEST naming the field
 */
export async function addPerson(context: Context, person: DirectoryPerson): Promise<DirectoryRow> {
  const { email, scimUserName, externalId } = namesOf(person);
  const gone = await findGone(context.sql.read, email);
  // Whoever signed up with somebody else's address gets nothing back.
  if (gone && gone.emailVerifiedAt === null) throw heldByGone();
  if (gone) {
    return changePersonOf(context, gone.id, { ...person, active: person.active ?? true });
  }
  const id = await context.sql.transaction(async (tx) => {
    await requireNobodyElse(tx, { email, scimUserName, externalId }, undefined);
    const username = await freeUsername(context, tx, person.userName);
    const account = await addAccount(context, tx, { username, email, isEmailVerified: true });
    await updateDirectoryNames(tx, account.id, { scimUserName, externalId });
    if (person.active === false) await changeDisabled(context, tx, account, true);
    return account.id;
  });
  context.wakeIndexer();
  return requirePerson(context.sql.read, id);
}

/**
 * Changes an account to what the directory says about its person: who isn't active has a disabled
 * account, without sessions, and with tokens and apps that don't work. What disables it changes
 * nothing else.
 *
 * @throws NOT_FOUND; CONFLICT; BAD_REQUEST naming the field; UNPROCESSABLE if no administrator of the
 *   instance would be left
 */
export async function changePersonOf(
  context: Context,
  id: string,
  person: DirectoryPerson,
): Promise<DirectoryRow> {
  await change(context, id, person);
  return requirePerson(context.sql.read, id);
}

/**
 * Disables an account, which from then on isn’t there for the directory, until it creates it again.
 *
 * @throws NOT_FOUND; UNPROCESSABLE if no administrator of the instance would be left
 */
export async function removePerson(context: Context, id: string): Promise<void> {
  await change(context, id, undefined);
}

async function change(
  context: Context,
  id: string,
  person: DirectoryPerson | undefined,
): Promise<void> {
  const found = await findAccountById(context.sql.read, id);
  if (!found) throw noSuchUser();
  await changeOwned(context, found.username, async (tx) => {
    const account = await findAccountById(tx, id);
    if (!account) throw noSuchUser();
    const isActive = account.disabledAt === null;
    // Names that others have taken must not keep somebody who leaves.
    const becomes = person ? (person.active ?? isActive) : false;
    if (!person) await updateDirectoryNames(tx, id, { scimUserName: null, externalId: null });
    else if (!isActive || becomes) await changeNames(context, tx, account, person);
    else await keepKnown(tx, id);
    if (isActive === becomes) return;
    if (!becomes && account.adminSince !== null) await requireAnotherAdmin(tx, id);
    const what = becomes ? 'enabled' : 'disabled';
    await queueSecurityNotice(context, tx, id, { what }, { byOperator: true });
    await changeDisabled(context, tx, account, !becomes);
  });
  context.wakeIndexer();
}

/** Lets the directory find an account that it disables, also one that it calls by its address so far. */
async function keepKnown(tx: Writer, id: string): Promise<void> {
  const { scimUserName, email } = await requirePerson(tx, id);
  if (scimUserName !== null) return;
  const [called] = (await listPeopleFor(tx, { field: 'userName', value: email }, ONE)).items;
  await updateDirectoryNames(tx, id, { scimUserName: called?.id === id ? emailKey(email) : id });
}

async function changeNames(
  context: Context,
  tx: Writer,
  account: AccountRow,
  person: DirectoryPerson,
): Promise<void> {
  const { email, scimUserName, externalId } = namesOf(person);
  await requireNobodyElse(tx, { email, scimUserName, externalId }, account.id);
  if (email !== account.email) await changeAddress(context, tx, account, email);
  await updateDirectoryNames(tx, account.id, { scimUserName, externalId });
}

async function changeAddress(
  context: Context,
  tx: Writer,
  { id, username, email: before, emailVerifiedAt }: AccountRow,
  email: string,
): Promise<void> {
  if (emailKey(email) !== emailKey(before)) {
    // Goes to the former address.
    await queueSecurityNotice(context, tx, id, { what: 'email' }, { byOperator: true });
  }
  if (!(await updateEmail(tx, id, email))) {
    throw heldByGone();
  }
  // An account with an unverified address may be that of somebody else, who signed up with it.
  if (emailVerifiedAt === null) await queueVerificationMail(context, tx, id);
  else await updateEmailVerified(tx, { id, email, at: context.now() });
  await audit(context, tx, { action: 'account.email_changed', accountId: id, subject: username });
}

/** @throws BAD_REQUEST naming the field */
function namesOf({ userName, externalId, email }: DirectoryPerson) {
  const scimUserName = emailKey(userName.trim());
  for (const [field, name] of Object.entries({ userName: scimUserName, externalId })) {
    if (name === null || NAME.test(name)) continue;
    throw new FieldError('BAD_REQUEST', field, 'must have 1 to 255 visible characters.');
  }
  const address = email ?? parseEmailAddress(userName.trim());
  if (address === undefined) {
    const problem = 'is needed, since userName isn’t an email address.';
    throw new FieldError('BAD_REQUEST', 'emails', problem);
  }
  return { scimUserName, externalId, email: requireEmail(address) };
}

/** @param exceptId the account that may have them @throws CONFLICT */
async function requireNobodyElse(
  tx: Reader,
  { email, scimUserName, externalId }: ReturnType<typeof namesOf>,
  exceptId: string | undefined,
): Promise<void> {
  const wanted = { email, userName: scimUserName, ...(externalId !== null && { externalId }) };
  for (const [field, value] of Object.entries(wanted)) {
    const one = { field: field as Wanted['field'], value };
    const { items } = await listPeopleFor(tx, one, { offset: 0, size: 2 });
    if (items.every(({ id }) => id === exceptId)) continue;
    throw new ServiceError('CONFLICT', `Another user has this ${field}.`);
  }
}

/** Returns a username like a name, with a number if others have it. @throws BAD_REQUEST */
async function freeUsername(context: Context, tx: Reader, userName: string): Promise<string> {
  const wish = suggestUsername(userName) || 'user';
  for (let number = 1; number <= MOST_TRIES; number++) {
    const name = number === 1 ? wish : parseNamespace(numberedName(wish.slice(0, 35), number));
    if (name !== undefined && (await isFree(context, tx, name))) return name;
  }
  throw new FieldError('BAD_REQUEST', 'userName', 'too many users have names like this.');
}

async function isFree(context: Context, tx: Reader, name: string): Promise<boolean> {
  if (isReservedNamespace(name, context.reservedSegments)) return false;
  return !(await findOwner(tx, name)) && (await findReleasedAt(tx, name)) === undefined;
}

/** @throws UNPROCESSABLE */
async function requireAnotherAdmin(tx: Writer, id: string): Promise<void> {
  if ((await lockAdmins(tx)).some((admin) => admin !== id)) return;
  const problem = 'This is the last administrator of the instance. Make someone else one first.';
  throw new ServiceError('UNPROCESSABLE', problem);
}
