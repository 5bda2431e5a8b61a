import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { OwnLimit } from './quota.ts';

/** What an owner may have, where that differs from the settings; `null` for no limit. */
export type Exceptions = Partial<Record<OwnLimit, number | null>>;

export async function findExceptions(db: Reader, ownerId: string): Promise<Exceptions> {
  const rows = await db
    .selectFrom('quota')
    .where('ownerId', '=', ownerId)
    .select(['name', 'amount'])
    .execute();
  return Object.fromEntries(rows.map(({ name, amount }) => [name, amount]));
}

export async function replaceExceptions(
  db: Writer,
  ownerId: string,
  exceptions: Exceptions,
): Promise<void> {
  await db.deleteFrom('quota').where('ownerId', '=', ownerId).execute();
  const rows = Object.entries(exceptions).map(([name, amount]) => ({
    ownerId,
    name,
    amount,
  }));
  if (rows.length > 0) await db.insertInto('quota').values(rows).execute();
}

/** Counts the organizations that a user created and that still exist. */
export async function countCreatedOrganizations(db: Reader, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('organization')
    .where('createdBy', '=', accountId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function countWebhooks(db: Reader, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhook')
    .where('ownerId', '=', ownerId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
