import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { bestEffortWrite } from '../best-effort-write.ts';
import { type Actor, type Context, later } from '../context.ts';
import { queueSecurityNotice } from '../outbox/queue-service.ts';
import { requireExistingAccount } from './account-service.ts';
import { updateSignedIn } from './account-store.ts';
import { isUseDue } from './last-use.ts';
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
  updateSessionProven,
  updateSessionUsed,
} from './session-store.ts';
import { describeUserAgent } from './user-agent.ts';

/** A user who has just signed in. */
export interface SignedIn {
  accountId: string;
  /** For the browser to store (see {@link addDevice}). */
  device: string;
  /** Whether the browser has never signed in to the account. `false` after signing up. */
  isNewBrowser: boolean;
}

const DAY_MS = 24 * 60 * 60_000;

/** When a session ends: after this much idle time, and at this age in any case. */
const IDLE_MS = 14 * DAY_MS;
export const SESSION_LIFETIME_MS = 90 * DAY_MS;

/** How long after a proof of who the user is the session can make changes that need one. */
const PROOF_MS = 15 * 60_000;

const TOKEN_BYTES = 32;
const MAX_USER_AGENT_LENGTH = 200;

/** A signed-in user in one browser. */
export interface Visit {
  actor: Actor;
  sessionId: string;
  /** When the user last proved who they are: at the sign-in, or later. ISO 8601. */
  provenAt: string;
  hasSecondFactor: boolean;
}

/**
 * Creates a session and ends the browser's earlier one. Also deletes expired sessions.
 *
 * @param input.isNewBrowser whether to tell the account's owner by mail
 * @param input.replaces the token of the browser's earlier session
 * @returns the session's token; only its hash is stored
 * @throws UNAUTHORIZED if the account is gone
 */
export async function startSession(
  context: Context,
  input: {
    accountId: string;
    userAgent: string;
    replaces: string | undefined;
    isNewBrowser: boolean;
  },
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const createdAt = context.now();
  await context.sql.transaction(async (tx) => {
    await requireExistingAccount(tx, input.accountId);
    await updateSignedIn(tx, input.accountId, createdAt);
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
    if (input.isNewBrowser) {
      const browser = describeUserAgent(input.userAgent);
      await queueSecurityNotice(context, tx, input.accountId, { what: 'browser', browser });
    }
  });
  return token;
}

/**
 * Returns the user of a session and extends it, or `undefined` if it is unknown or expired or its
 * account is disabled.
 */
export async function findVisitor(context: Context, token: string): Promise<Visit | undefined> {
  const row = await findVisit(context.sql.read, hashSecret(token));
  const now = context.now();
  if (!row || row.expiresAt <= now) return undefined;
  if (isUseDue(row.lastUsedAt, now)) {
    const use = { usedAt: now, expiresAt: expiryOf(row.createdAt, now) };
    await bestEffortWrite(context, () =>
      context.sql.transaction((tx) => updateSessionUsed(tx, row.sessionId, use)),
    );
  }
  return {
    actor: { id: row.accountId, username: row.username, scopes: ALL_SCOPES, via: VIA_WEB },
    sessionId: row.sessionId,
    provenAt: row.provenAt ?? row.createdAt,
    hasSecondFactor: row.secondFactorAt !== null,
  };
}

/** Tells whether the user of a session proved recently enough who they are for a sensitive change. */
export function isProven(context: Context, visit: Visit): boolean {
  return later(visit.provenAt, PROOF_MS) > context.now();
}

/** Notes that the user of a session has just proved who they are. */
export async function noteProof(context: Context, sessionId: string): Promise<void> {
  await context.sql.transaction((tx) => updateSessionProven(tx, sessionId, context.now()));
}

export async function endSession(context: Context, token: string): Promise<void> {
  await context.sql.transaction((tx) => deleteSessionByHash(tx, hashSecret(token)));
}

/** Signs the actor out of one browser. Ignores a session that has ended or isn't theirs. */
export async function endOwnSession(context: Context, actor: Actor, id: string): Promise<void> {
  await context.sql.transaction((tx) => deleteSession(tx, actor.id, normaliseId(id)));
}

export async function endAllSessions(context: Context, actor: Actor): Promise<void> {
  await context.sql.transaction((tx) => deleteSessions(tx, actor.id));
}

/** Lists the actor's sessions, newest first. */
export async function listSessions(context: Context, actor: Actor): Promise<SessionRow[]> {
  return listSessionRows(context.sql.read, actor.id, context.now());
}

function expiryOf(createdAt: string, usedAt: string): string {
  const [idle, lifetime] = [later(usedAt, IDLE_MS), later(createdAt, SESSION_LIFETIME_MS)];
  return idle < lifetime ? idle : lifetime;
}
