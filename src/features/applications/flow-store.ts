import type { Reader, Writer } from '../../storage/sql/sql.ts';

export type FlowKind = 'interaction' | 'decision';

/** A step towards a grant. */
export interface FlowRow {
  accountId: string | null;
  /** JSON. */
  payload: string;
  expiresAt: string;
}

/** Adds a step, or replaces the one with this id. */
export async function upsertFlow(
  db: Writer,
  flow: FlowRow & { idHash: string; kind: FlowKind },
): Promise<void> {
  const changeable = {
    account_id: flow.accountId,
    payload: flow.payload,
    expires_at: flow.expiresAt,
  };
  await db
    .insertInto('oauth_flow')
    .values({ id_hash: flow.idHash, kind: flow.kind, ...changeable })
    .onConflict((conflict) => conflict.column('id_hash').doUpdateSet(changeable))
    .execute();
}

const COLUMNS = ['account_id as accountId', 'payload', 'expires_at as expiresAt'] as const;

export async function findFlow(
  db: Reader,
  kind: FlowKind,
  idHash: string,
): Promise<FlowRow | undefined> {
  return db
    .selectFrom('oauth_flow')
    .where('id_hash', '=', idHash)
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
    .where('id_hash', '=', idHash)
    .where('kind', '=', kind)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Deletes expired steps. @returns how many */
export async function deleteExpiredFlows(db: Writer, now: string): Promise<number> {
  const removed = await db
    .deleteFrom('oauth_flow')
    .where('expires_at', '<=', now)
    .returning('kind')
    .execute();
  return removed.length;
}
