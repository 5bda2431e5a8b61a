import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

export type FlowKind = Row<'oauth_flow'>['kind'];

/** A step towards a grant. */
export type FlowRow = Row<'oauth_flow', (typeof COLUMNS)[number]>;

/** Adds a step, or replaces the one with this id. */
export async function upsertFlow(db: Writer, flow: Row<'oauth_flow'>): Promise<void> {
  const { accountId, payload, expiresAt } = flow;
  const changeable = { accountId, payload, expiresAt };
  await db
    .insertInto('oauth_flow')
    .values(flow)
    .onConflict((conflict) => conflict.column('idHash').doUpdateSet(changeable))
    .execute();
}

const COLUMNS = ['accountId', 'payload', 'expiresAt'] as const;

export async function findFlow(
  db: Reader,
  kind: FlowKind,
  idHash: string,
): Promise<FlowRow | undefined> {
  return db
    .selectFrom('oauth_flow')
    .where('idHash', '=', idHash)
    .where('kind', '=', kind)
    .select(COLUMNS)
    .executeTakeFirst();
}

/** Deletes and returns a step. Only one of several concurrent callers gets it. */
export async function takeFlow(
  db: Writer,
  kind: FlowKind,
  idHash: string,
): Promise<FlowRow | undefined> {
  return db
    .deleteFrom('oauth_flow')
    .where('idHash', '=', idHash)
    .where('kind', '=', kind)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Deletes expired steps. @returns how many */
export async function deleteExpiredFlows(db: Writer, now: string): Promise<number> {
  const removed = await db
    .deleteFrom('oauth_flow')
    .where('expiresAt', '<=', now)
    .returning('kind')
    .execute();
  return removed.length;
}
