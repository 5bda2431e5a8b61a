import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { insertUsage } from '../quota/usage-store.ts';

/** Inserts an owner; `false` if the namespace is taken. */
export async function insertOwner(db: Writer, owner: Row<'owner'>): Promise<boolean> {
  const inserted = await db
    .insertInto('owner')
    .values(owner)
    .onConflict((conflict) => conflict.column('namespace').doNothing())
    .returning('id')
    .execute();
  if (inserted.length === 0) return false;
  await insertUsage(db, owner.id);
  return true;
}

/** Deletes an owner that nothing refers to. */
export async function deleteOwner(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('owner').where('id', '=', id).execute();
}

/** Gives an owner another namespace, which must be free. */
export async function updateNamespace(db: Writer, id: string, namespace: string): Promise<void> {
  await db.updateTable('owner').set({ namespace }).where('id', '=', id).execute();
}

// The weakest lock that excludes itself: rows that refer to the owner can still be inserted.
const locked = prepared<{ namespace: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom('owner')
    .select('id')
    .where('namespace', '=', parameter('namespace'))
    .forNoKeyUpdate(),
);

/** Locks an owner until the transaction ends. */
export async function lockOwner(db: Writer, namespace: string): Promise<void> {
  if (capabilitiesOf(db).concurrentTransactions) await locked(db, { namespace });
}

/** Finds the user or organization with this namespace (normalised). */
export async function findOwner(db: Reader, namespace: string): Promise<Row<'owner'> | undefined> {
  return db.selectFrom('owner').where('namespace', '=', namespace).selectAll().executeTakeFirst();
}

/** Finds users and organizations by id. Those that are gone are missing. */
export async function listOwnersById(db: Reader, ids: readonly string[]): Promise<Row<'owner'>[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('owner').where('id', 'in', ids).selectAll().execute();
}

/** Finds a user or an organization by id. */
export async function findOwnerById(db: Reader, id: string): Promise<Row<'owner'> | undefined> {
  return db.selectFrom('owner').where('id', '=', id).selectAll().executeTakeFirst();
}
