import { sql } from 'kysely';
import { emailKey } from '../../base/text/email-address.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { lookup, prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { parseNamespace } from '../owner/namespace.ts';

/** “Brf1” in ASCII, to avoid the locks of other programs in the same database. */
const FIRST_ACCOUNT_LOCK = 0x42726631;

export interface AccountRow {
  id: string;
  username: string;
  email: string;
  /** `null` until someone with access to the mailbox confirms it. */
  emailVerifiedAt: string | null;
  disabledAt: string | null;
  /** Since when the user administers the instance; `null` if they don't. */
  adminSince: string | null;
  /** When they last signed in to the web app; `null` for never. */
  signedInAt: string | null;
  createdAt: string;
}

const accountByUsername = lookup<{ username: string }, AccountRow>((db, parameter) =>
  accounts(db).where('owner.namespace', '=', parameter('username')),
);

const accountById = prepared<{ id: string }, AccountRow>((db, parameter) =>
  accounts(db).where('account.id', '=', parameter('id')),
);

/** Finds the user with this username (normalised). Ignores organizations. */
export async function findAccountByUsername(
  db: Reader,
  username: string,
): Promise<AccountRow | undefined> {
  const [row] = await accountByUsername(db, { username });
  return row;
}

export async function findAccountById(db: Reader, id: string): Promise<AccountRow | undefined> {
  const [row] = await accountById(db, { id });
  return row;
}

/**
 * Returns the ids of the users with these usernames, in any order. Ignores case and unknown names.
 */
export async function findAccountIds(db: Reader, usernames: readonly string[]): Promise<string[]> {
  return (await findUsers(db, usernames)).map(({ id }) => id);
}

/** Returns the users with these usernames, in any order. Ignores case and unknown names. */
export async function findUsers(
  db: Reader,
  usernames: readonly string[],
): Promise<{ id: string; username: string }[]> {
  const namespaces = usernames.map(parseNamespace).filter((name) => name !== undefined);
  if (namespaces.length === 0) return [];
  return db
    .selectFrom('owner')
    .where('type', '=', 'user')
    .where('namespace', 'in', namespaces)
    .select(['id', 'namespace as username'])
    .execute();
}

/** Lists the usernames of these accounts; a deleted one has no entry. */
export function listUsernamesOf(
  db: Reader,
  ids: readonly string[],
): Promise<{ id: string; username: string }[]> {
  return db
    .selectFrom('owner')
    .where('owner.type', '=', 'user')
    .where('owner.id', 'in', ids)
    .select(['owner.id', 'owner.namespace as username'])
    .execute();
}

/** Inserts the account of an owner; `false` if the email address is taken. */
export async function insertAccount(
  db: Writer,
  account: {
    id: string;
    email: string;
    emailVerifiedAt: string | null;
    passwordHash: string | null;
    createdAt: string;
  },
): Promise<boolean> {
  const inserted = await db
    .insertInto('account')
    .values({
      id: account.id,
      type: 'user',
      email: account.email,
      email_key: emailKey(account.email),
      email_verified_at: account.emailVerifiedAt,
      disabled_at: null,
      admin_since: null,
      created_at: account.createdAt,
      password_hash: account.passwordHash,
    })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returning('id')
    .execute();
  return inserted.length === 1;
}

export async function updateAccountDisabled(
  db: Writer,
  id: string,
  disabledAt: string | null,
): Promise<void> {
  await db.updateTable('account').set({ disabled_at: disabledAt }).where('id', '=', id).execute();
}

export async function updateAdminSince(
  db: Writer,
  id: string,
  adminSince: string | null,
): Promise<void> {
  await db.updateTable('account').set({ admin_since: adminSince }).where('id', '=', id).execute();
}

export async function updateSignedIn(db: Writer, id: string, at: string): Promise<void> {
  await db.updateTable('account').set({ signed_in_at: at }).where('id', '=', id).execute();
}

/**
 * Returns the ids of the users who administer the instance and whose accounts aren't disabled. None
 * can stop until the transaction ends.
 */
export async function lockAdmins(db: Writer): Promise<string[]> {
  const admins = await db
    .selectFrom('account')
    .where('admin_since', 'is not', null)
    .where('disabled_at', 'is', null)
    .select('id')
    .orderBy('id')
    .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forUpdate())
    .execute();
  return admins.map(({ id }) => id);
}

/**
 * Tells whether an account, just inserted, is the only one. While this answers yes, no other
 * transaction gets the same answer until this one ends.
 */
export async function isOnlyAccount(db: Writer, id: string): Promise<boolean> {
  const others = db.selectFrom('account').where('id', '<>', id).select('id').limit(1);
  if ((await others.execute()).length > 0) return false;
  if (!capabilitiesOf(db).concurrentTransactions) return true;
  await sql`select pg_advisory_xact_lock(${sql.lit(FIRST_ACCOUNT_LOCK)})`.execute(db);
  return (await others.execute()).length === 0;
}

/** Changes a user's email address, which then isn't verified; `false` if another user has it. */
export async function updateEmail(db: Writer, id: string, email: string): Promise<boolean> {
  const key = emailKey(email);
  const updated = await db
    .updateTable('account')
    .set({ email, email_key: key, email_verified_at: null })
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('account as other')
            .select('other.id')
            .where('other.email_key', '=', key)
            .where('other.id', '<>', id),
        ),
      ),
    )
    .returning('id')
    .execute();
  return updated.length === 1;
}

/** Marks a user's address as verified; `false` if it has changed since. */
export async function updateEmailVerified(
  db: Writer,
  { id, email, at }: { id: string; email: string; at: string },
): Promise<boolean> {
  const updated = await db
    .updateTable('account')
    .set({ email_verified_at: at })
    .where('id', '=', id)
    .where('email', '=', email)
    .where('email_verified_at', 'is', null)
    .returning('id')
    .execute();
  return updated.length === 1;
}

function accounts(db: Reader) {
  return db
    .selectFrom('account')
    .innerJoin('owner', 'owner.id', 'account.id')
    .select([
      'account.id',
      'owner.namespace as username',
      'account.email',
      'account.email_verified_at as emailVerifiedAt',
      'account.disabled_at as disabledAt',
      'account.admin_since as adminSince',
      'account.signed_in_at as signedInAt',
      'account.created_at as createdAt',
    ]);
}

/** Lists the ids of the administrators of the instance whose accounts aren't disabled. */
export async function listInstanceAdmins(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('account')
    .where('admin_since', 'is not', null)
    .where('disabled_at', 'is', null)
    .select('id')
    .orderBy('admin_since')
    .execute();
  return rows.map(({ id }) => id);
}

/** Tells whether an account has this email address, in any spelling. */
export async function isEmailUsed(db: Reader, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('account')
    .where('email_key', '=', emailKey(email))
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns when the last account was disabled of those that are; '' if none is. */
export async function latestDisabled(db: Reader): Promise<string> {
  const row = await db
    .selectFrom('account')
    .where('disabled_at', 'is not', null)
    .select(({ fn }) => fn.max('disabled_at').as('at'))
    .executeTakeFirst();
  return row?.at ?? '';
}
