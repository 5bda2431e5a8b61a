import type { DeleteQueryBuilder } from 'kysely';
import { lookup, type Parameter } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';

/** What is needed to check a session and identify its user. */
export type VisitRow = RowOf<typeof visit>;

const SHOWN = ['id', 'createdAt', 'lastUsedAt', 'expiresAt', 'userAgent'] as const;

/** A session as shown in the list of sessions. */
export type SessionRow = Row<'session', (typeof SHOWN)[number]>;

const visit = lookup((db, parameter: Parameter<{ hash: string }>) =>
  db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.accountId')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('session.tokenHash', '=', parameter('hash'))
    .where('account.disabledAt', 'is', null)
    .where('account.refusedAt', 'is', null)
    .select([
      'session.id as sessionId',
      'account.id as accountId',
      'owner.namespace as username',
      'session.createdAt',
      'session.lastUsedAt',
      'session.expiresAt',
      'session.provenAt',
      'session.upstreamSid',
      'account.secondFactorAt',
    ]),
);

const byId = lookup<{ id: string }, { accountId: string; expiresAt: string }>((db, parameter) =>
  db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.accountId')
    .where('session.id', '=', parameter('id'))
    .where('account.disabledAt', 'is', null)
    .where('account.refusedAt', 'is', null)
    .select(['session.accountId', 'session.expiresAt']),
);

/** Finds the session with this id, whatever its hash is by now, unless its account is disabled. */
export async function findSessionById(
  db: Reader,
  id: string,
): Promise<{ accountId: string; expiresAt: string } | undefined> {
  const [row] = await byId(db, { id });
  return row;
}

/** Finds the session with this hash, unless its account is disabled. */
export async function findVisit(db: Reader, hash: string): Promise<VisitRow | undefined> {
  const [row] = await visit(db, { hash });
  return row;
}

export async function insertSession(
  db: Writer,
  session: Omit<Row<'session'>, 'lastUsedAt'>,
): Promise<void> {
  await db
    .insertInto('session')
    .values({ ...session, lastUsedAt: session.createdAt })
    .execute();
}

export async function updateSessionUsed(
  db: Writer,
  id: string,
  use: { usedAt: string; expiresAt: string },
): Promise<void> {
  await db
    .updateTable('session')
    .set({ lastUsedAt: use.usedAt, expiresAt: use.expiresAt })
    .where('id', '=', id)
    .execute();
}

/**
 * Notes when the user of a session proved who they are, and gives it another hash.
 *
 * @returns `false` if it has another hash than `from`, or is gone
 */
export async function updateSessionProven(
  db: Writer,
  id: string,
  proof: { from: string; to: string; provenAt: string },
): Promise<boolean> {
  const updated = await db
    .updateTable('session')
    .set({ provenAt: proof.provenAt, tokenHash: proof.to })
    .where('id', '=', id)
    .where('tokenHash', '=', proof.from)
    .returning('id')
    .execute();
  return updated.length === 1;
}

/** Lists a user's sessions that are valid at a time, newest first. */
export async function listSessionRows(
  db: Reader,
  accountId: string,
  now: string,
): Promise<SessionRow[]> {
  return db
    .selectFrom('session')
    .where('accountId', '=', accountId)
    .where('expiresAt', '>', now)
    .select(SHOWN)
    .orderBy('id', 'desc')
    .execute();
}

/** @returns the accounts whose sessions ended, as all these functions do */
export async function deleteSessionByHash(db: Writer, hash: string): Promise<string[]> {
  return endWhere(db, (session) => session.where('tokenHash', '=', hash));
}

export async function deleteSession(db: Writer, accountId: string, id: string): Promise<string[]> {
  return endWhere(db, (session) => session.where('accountId', '=', accountId).where('id', '=', id));
}

/** Deletes a user's sessions, except the one given. */
export async function deleteSessions(
  db: Writer,
  accountId: string,
  exceptId?: string,
): Promise<string[]> {
  return endWhere(db, (session) =>
    session
      .where('accountId', '=', accountId)
      .$if(exceptId !== undefined, (query) => query.where('id', '<>', exceptId as string)),
  );
}

/**
 * Deletes sessions, and their users' decisions about applications that aren't applied yet: they may
 * have been made in one of these sessions.
 */
async function endWhere(
  db: Writer,
  where: (sessions: DeleteQueryBuilder<Tables, 'session', object>) => typeof sessions,
): Promise<string[]> {
  const ended = await where(db.deleteFrom('session')).returning('accountId').execute();
  const accountIds = [...new Set(ended.map(({ accountId }) => accountId))];
  if (accountIds.length === 0) return [];
  await db
    .deleteFrom('oauth_flow')
    .where('kind', '=', 'decision')
    .where('accountId', 'in', accountIds)
    .execute();
  return ended.map(({ accountId }) => accountId);
}

/** Deletes a user's sessions that came from one session at the provider. */
export async function deleteUpstreamSessions(
  db: Writer,
  { accountId, sid }: { accountId?: string | undefined; sid: string },
): Promise<string[]> {
  return endWhere(db, (session) =>
    session
      .where('upstreamSid', '=', sid)
      .$if(accountId !== undefined, (query) => query.where('accountId', '=', accountId as string)),
  );
}

export async function deleteExpiredSessions(db: Writer, now: string): Promise<void> {
  await db.deleteFrom('session').where('expiresAt', '<=', now).execute();
}
