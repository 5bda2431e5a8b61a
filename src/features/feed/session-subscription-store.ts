import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The session of a host's connection, and the account that it works for. */
export interface Session {
  accountId: string;
  sessionId: string;
}

/** A document that a host has subscribed to. */
export interface SessionSubscription {
  uri: string;
  /** The position of the feed when the host subscribed. */
  position: number;
}

export async function listSubscriptions(
  db: Reader,
  { accountId, sessionId }: Session,
): Promise<SessionSubscription[]> {
  return db
    .selectFrom('mcp_subscription')
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .select(['uri', 'position'])
    .orderBy('uri')
    .execute();
}

/** Counts the subscriptions of all sessions of an account. */
export async function countSubscriptions(db: Reader, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('mcp_subscription')
    .where('account_id', '=', accountId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Stores a subscription, unless it exists. */
export async function insertSubscription(
  db: Writer,
  { accountId, sessionId }: Session,
  { uri, position, expiresAt }: SessionSubscription & { expiresAt: string },
): Promise<void> {
  await db
    .insertInto('mcp_subscription')
    .values({
      account_id: accountId,
      session_id: sessionId,
      uri,
      position,
      expires_at: expiresAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lets the subscriptions of a session end later. */
export async function extendSubscriptions(
  db: Writer,
  { accountId, sessionId }: Session,
  expiresAt: string,
): Promise<void> {
  await db
    .updateTable('mcp_subscription')
    .set({ expires_at: expiresAt })
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .execute();
}

/** Deletes subscriptions of a session: those to some URIs, or all. */
export async function deleteSubscriptions(
  db: Writer,
  { accountId, sessionId }: Session,
  uris?: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('mcp_subscription')
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .$if(uris !== undefined, (query) => query.where('uri', 'in', uris ?? []))
    .execute();
}

/** Deletes the subscriptions that expired by `now`. @returns how many */
export async function deleteExpiredSubscriptions(db: Writer, now: string): Promise<number> {
  const deleted = await db
    .deleteFrom('mcp_subscription')
    .where('expires_at', '<=', now)
    .returning('uri')
    .execute();
  return deleted.length;
}
