import type { DeleteQueryBuilder } from 'kysely';
import { lookup } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';

/** What is needed to check a session and identify its user. */
export interface VisitRow {
  sessionId: string;
  accountId: string;
  username: string;
  /** When the person signed in. */
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
  /** When the person last proved who they are, if not at the sign-in; earlier than it if a provider says so. */
  provenAt: string | null;
  /** Since when the account has a second factor; `null` if it has none. */
  secondFactorAt: string | null;
}

/** A session as shown in the list of sessions. */
export interface SessionRow {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
  /** The browser's User-Agent at sign-in. */
  userAgent: string;
}

const visit = lookup<{ hash: string }, VisitRow>((db, parameter) =>
  db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('session.token_hash', '=', parameter('hash'))
    .where('account.disabled_at', 'is', null)
    .select([
      'session.id as sessionId',
      'account.id as accountId',
      'owner.namespace as username',
      'session.created_at as createdAt',
      'session.last_used_at as lastUsedAt',
      'session.expires_at as expiresAt',
      'session.proven_at as provenAt',
      'account.second_factor_at as secondFactorAt',
    ]),
);

const byId = lookup<{ id: string }, { accountId: string; expiresAt: string }>((db, parameter) =>
  db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .where('session.id', '=', parameter('id'))
    .where('account.disabled_at', 'is', null)
    .select(['session.account_id as accountId', 'session.expires_at as expiresAt']),
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
  session: {
    id: string;
    accountId: string;
    hash: string;
    createdAt: string;
    expiresAt: string;
    userAgent: string;
    provenAt: string | null;
  },
): Promise<void> {
  await db
    .insertInto('session')
    .values({
      id: session.id,
      account_id: session.accountId,
      token_hash: session.hash,
      created_at: session.createdAt,
      last_used_at: session.createdAt,
      expires_at: session.expiresAt,
      user_agent: session.userAgent,
      proven_at: session.provenAt,
    })
    .execute();
}

export async function updateSessionUsed(
  db: Writer,
  id: string,
  use: { usedAt: string; expiresAt: string },
): Promise<void> {
  await db
    .updateTable('session')
    .set({ last_used_at: use.usedAt, expires_at: use.expiresAt })
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
    .set({ proven_at: proof.provenAt, token_hash: proof.to })
    .where('id', '=', id)
    .where('token_hash', '=', proof.from)
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
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .select([
      'id',
      'created_at as createdAt',
      'last_used_at as lastUsedAt',
      'expires_at as expiresAt',
      'user_agent as userAgent',
    ])
    .orderBy('id', 'desc')
    .execute();
}

/** @returns the accounts whose sessions ended, as all these functions do */
export async function deleteSessionByHash(db: Writer, hash: string): Promise<string[]> {
  return endWhere(db, (session) => session.where('token_hash', '=', hash));
}

export async function deleteSession(db: Writer, accountId: string, id: string): Promise<string[]> {
  return endWhere(db, (session) =>
    session.where('account_id', '=', accountId).where('id', '=', id),
  );
}

/** Deletes a user's sessions, except the one given. */
export async function deleteSessions(
  db: Writer,
  accountId: string,
  exceptId?: string,
): Promise<string[]> {
  return endWhere(db, (session) =>
    session
      .where('account_id', '=', accountId)
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
  const ended = await where(db.deleteFrom('session'))
    .returning('account_id as accountId')
    .execute();
  const accountIds = [...new Set(ended.map(({ accountId }) => accountId))];
  if (accountIds.length === 0) return [];
  await db
    .deleteFrom('oauth_flow')
    .where('kind', '=', 'decision')
    .where('account_id', 'in', accountIds)
    .execute();
  return ended.map(({ accountId }) => accountId);
}

export async function deleteExpiredSessions(db: Writer, now: string): Promise<void> {
  await db.deleteFrom('session').where('expires_at', '<=', now).execute();
}
