import { sql } from 'kysely';
import { emailKey } from '../../base/text/email-address.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { lookup, prepared } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { parseNamespace } from '../owner/namespace.ts';

/** “Brf1” in ASCII, to avoid the locks of other programs in the same database. */
const FIRST_ACCOUNT_LOCK = 0x42726631;

export type AccountRow = RowOf<typeof accounts>;

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
  account: Row<'account', 'id' | 'email' | 'emailVerifiedAt' | 'passwordHash' | 'createdAt'>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('account')
    .values({ ...account, type: 'user', emailKey: emailKey(account.email) })
    .onConflict((conflict) => conflict.column('emailKey').doNothing())
    .returning('id')
    .execute();
  return inserted.length === 1;
}

export async function updateAccountDisabled(
  db: Writer,
  id: string,
  disabledAt: string | null,
): Promise<void> {
  await db.updateTable('account').set({ disabledAt }).where('id', '=', id).execute();
}

export async function updateAdminSince(
  db: Writer,
  id: string,
  adminSince: string | null,
): Promise<void> {
  await db.updateTable('account').set({ adminSince }).where('id', '=', id).execute();
}

/** Notes since when the provider lets somebody in no longer; `null` for that it does. */
export async function updateRefused(
  db: Writer,
  id: string,
  refusedAt: string | null,
): Promise<void> {
  await db.updateTable('account').set({ refusedAt }).where('id', '=', id).execute();
}

export async function updateSignedIn(db: Writer, id: string, at: string): Promise<void> {
  await db.updateTable('account').set({ signedInAt: at }).where('id', '=', id).execute();
}

/**
 * Returns the ids of the users who administer the instance and whose accounts aren't disabled. None
 * can stop until the transaction ends.
 */
export async function lockAdmins(db: Writer): Promise<string[]> {
  const admins = await db
    .selectFrom('account')
    .where('adminSince', 'is not', null)
    .where('disabledAt', 'is', null)
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
    .set({ email, emailKey: key, emailVerifiedAt: null })
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('account as other')
            .select('other.id')
            .where('other.emailKey', '=', key)
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
    .set({ emailVerifiedAt: at })
    .where('id', '=', id)
    .where('email', '=', email)
    .where('emailVerifiedAt', 'is', null)
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
      'account.emailVerifiedAt',
      'account.disabledAt',
      'account.adminSince',
      'account.signedInAt',
      'account.createdAt',
    ]);
}

/** Lists the ids of the administrators of the instance whose accounts aren't disabled. */
export async function listInstanceAdmins(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('account')
    .where('adminSince', 'is not', null)
    .where('disabledAt', 'is', null)
    .select('id')
    .orderBy('adminSince')
    .execute();
  return rows.map(({ id }) => id);
}

/** Tells whether an account has this email address, in any spelling. */
export async function isEmailUsed(db: Reader, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('account')
    .where('emailKey', '=', emailKey(email))
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns when the last account was disabled of those that are; '' if none is. */
export async function latestDisabled(db: Reader): Promise<string> {
  const row = await db
    .selectFrom('account')
    .where('disabledAt', 'is not', null)
    .select(({ fn }) => fn.max('disabledAt').as('at'))
    .executeTakeFirst();
  return row?.at ?? '';
}

/** Whether the account that sent an `invitation` is enabled; otherwise nobody can accept it. */
export const INVITER_ENABLED = sql<boolean>`exists (select 1 from account as sender
  where sender.id = invitation."invitedBy" and sender."disabledAt" is null)`;
