import { randomBytes } from 'node:crypto';
import { type Actor, type Context, later } from '../context.ts';
import { hashSecret } from '../crypto/hash-secret.ts';
import { writeIfPossible } from '../runtime/best-effort-write.ts';
import { normaliseId } from '../schema/id.ts';
import { requireAccountStill } from './account-service.ts';
import { isUseDue } from './last-use.ts';
import { VIA_WEB } from './means.ts';
import { ALL_SCOPES } from './scope.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionByHash,
  deleteSessions,
  findVisit,
  insertSession,
  listSessionRows,
  type SessionRow,
  updateSessionUsed,
} from './session-store.ts';

const DAY_MS = 24 * 60 * 60_000;

/** A session ends when nobody has used it for so long, and at this age in any case. */
const IDLE_MS = 14 * DAY_MS;
export const SESSION_LIFETIME_MS = 90 * DAY_MS;

const TOKEN_BYTES = 32;
const MAX_USER_AGENT_LENGTH = 200;

/** Somebody signed in, in one browser. */
export interface Visit {
  actor: Actor;
  sessionId: string;
}

/**
 * Signs somebody in: makes a session that nobody else can know, and ends the one that the browser
 * had before. Takes the opportunity to remove expired ones.
 *
 * @param input.replaces the token of the browser's earlier session
 * @returns the token, for the browser to keep; it is nowhere else
 * @throws UNAUTHORIZED when the account is gone
 */
export async function startSession(
  context: Context,
  input: { accountId: string; userAgent: string; replaces: string | undefined },
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const createdAt = context.now();
  await context.sql.transaction(
    async (tx) => {
      await requireAccountStill(tx, input.accountId);
      await deleteExpiredSessions(tx, createdAt);
      if (input.replaces !== undefined) await deleteSessionByHash(tx, hashSecret(input.replaces));
      await insertSession(tx, {
        id: context.newId(),
        accountId: input.accountId,
        hash: hashSecret(token),
        createdAt,
        expiresAt: expiryOf(createdAt, createdAt),
        userAgent: input.userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      });
    },
    { freesSpace: true },
  );
  return token;
}

/**
 * Whose session this is, or `undefined` when it is unknown, over, or its account is disabled. Using
 * a session keeps it alive.
 */
export async function findVisitor(context: Context, token: string): Promise<Visit | undefined> {
  const row = await findVisit(context.sql.read, hashSecret(token));
  const now = context.now();
  if (!row || row.expiresAt <= now) return undefined;
  if (isUseDue(row.lastUsedAt, now)) {
    const use = { usedAt: now, expiresAt: expiryOf(row.createdAt, now) };
    await writeIfPossible(context, () =>
      context.sql.transaction((tx) => updateSessionUsed(tx, row.sessionId, use)),
    );
  }
  return {
    actor: { id: row.accountId, username: row.username, scopes: ALL_SCOPES, via: VIA_WEB },
    sessionId: row.sessionId,
  };
}

/** Signs a browser out. */
export async function endSession(context: Context, token: string): Promise<void> {
  await context.sql.transaction((tx) => deleteSessionByHash(tx, hashSecret(token)), {
    freesSpace: true,
  });
}

/** Signs the actor out of one browser; nothing happens when the session is over or not theirs. */
export async function endOwnSession(context: Context, actor: Actor, id: string): Promise<void> {
  await context.sql.transaction((tx) => deleteSession(tx, actor.id, normaliseId(id)), {
    freesSpace: true,
  });
}

/** Signs the actor out of every browser. */
export async function endAllSessions(context: Context, actor: Actor): Promise<void> {
  await context.sql.transaction((tx) => deleteSessions(tx, actor.id), { freesSpace: true });
}

/** Where the actor is signed in, newest first. */
export async function listSessions(context: Context, actor: Actor): Promise<SessionRow[]> {
  return listSessionRows(context.sql.read, actor.id, context.now());
}

function expiryOf(createdAt: string, usedAt: string): string {
  const [idle, lifetime] = [later(usedAt, IDLE_MS), later(createdAt, SESSION_LIFETIME_MS)];
  return idle < lifetime ? idle : lifetime;
}
