import type { OwnerType } from '../../base/schema/visibility.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Limit } from './quota.ts';

/** What an owner may have, where that differs from the settings; `null` for no limit. */
export type Exceptions = Partial<Record<Limit, number | null>>;

export async function findExceptions(db: Reader, ownerId: string): Promise<Exceptions> {
  const rows = await db
    .selectFrom('quota')
    .where('owner_id', '=', ownerId)
    .select(['name', 'amount'])
    .execute();
  return Object.fromEntries(rows.map(({ name, amount }) => [name, amount]));
}

/** Replaces what an owner may have. */
export async function replaceExceptions(
  db: Writer,
  ownerId: string,
  exceptions: Exceptions,
): Promise<void> {
  await db.deleteFrom('quota').where('owner_id', '=', ownerId).execute();
  const rows = Object.entries(exceptions).map(([name, amount]) => ({
    owner_id: ownerId,
    name,
    amount,
  }));
  if (rows.length > 0) await db.insertInto('quota').values(rows).execute();
}

/** An owner with limits of its own. */
export interface Excepted {
  owner: string;
  ownerType: OwnerType;
  exceptions: Exceptions;
}

/** Lists the owners with limits of their own, by name. */
export async function listExcepted(db: Reader): Promise<Excepted[]> {
  const rows = await db
    .selectFrom('quota')
    .innerJoin('owner', 'owner.id', 'quota.owner_id')
    .select(['owner.namespace', 'owner.type', 'quota.name', 'quota.amount'])
    .orderBy('owner.namespace')
    .execute();
  return [...Map.groupBy(rows, ({ namespace }) => namespace)].map(([owner, own]) => ({
    owner,
    ownerType: own[0]?.type as OwnerType,
    exceptions: Object.fromEntries(own.map(({ name, amount }) => [name, amount])),
  }));
}

/** Counts the organizations that a user created and that still exist. */
export async function countCreatedOrganizations(db: Reader, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('organization')
    .where('created_by', '=', accountId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Counts an owner's webhooks. */
export async function countWebhooks(db: Reader, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhook')
    .where('owner_id', '=', ownerId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
