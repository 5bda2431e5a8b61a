import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { ServiceError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { audit } from '../audit/audit.ts';
import { bestEffortWrite } from '../best-effort-write.ts';
import { type Actor, type Call, type Context, later } from '../context.ts';
import { queueSecurityNotice } from '../outbox/queue-service.ts';
import { requireExistingAccount } from './account-service.ts';
import { findAccountById, updateRefused, updateSignedIn } from './account-store.ts';
import { isUseDue } from './last-use.ts';
import { ALL_SCOPES } from './scope.ts';
import { findWaysIn } from './second-factor-store.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionByHash,
  deleteSessions,
  findSessionById,
  findVisit,
  insertSession,
  listSessionRows,
  type SessionRow,
  updateSessionProven,
  updateSessionUsed,
} from './session-store.ts';
import { describeUserAgent } from './user-agent.ts';

/** A session goes on under another token, which its browser has by now. */
export class SessionRenewed extends ServiceError {
  constructor() {
    super('UNAUTHORIZED', 'You signed in again in another tab. Connect again.');
  }
}

/** What somebody proved with who they are. */
export type Factor = 'password' | 'provider' | 'passkey' | 'code' | 'recovery code' | 'mailed link';

/** A user who has just signed in. */
export interface SignedIn {
  accountId: string;
  /** What they gave, in this order. */
  factors: readonly Factor[];
  /** Of the password that the account had when this was checked (see {@link passwordState}). */
  password: string;
  /** For the browser to store (see {@link addDevice}). */
  device: string;
  /** Whether the browser has never signed in to the account. `false` after signing up. */
  isNewBrowser: boolean;
  /** When they gave it, if a provider says that it was earlier. ISO 8601. */
  provenAt?: string | undefined;
  /** The session at the provider; '' if it names none. Absent without a sign-in there. */
  upstreamSid?: string | undefined;
}

/** When a session ends: after this much idle time, and at this age in any case. */
const IDLE_MS = 14 * DAY_MS;
export const SESSION_LIFETIME_MS = 90 * DAY_MS;

/** How long after a proof of who the user is the session can make changes that need one. */
const PROOF_MS = 15 * 60_000;

/** The same for connecting an app, which people do often and in the middle of something else. */
export const CONNECTING_PROOF_MS = DAY_MS;

const TOKEN_BYTES = 32;
const MAX_USER_AGENT_LENGTH = 200;

/** A signed-in user in one browser. */
export interface Visit {
  actor: Actor;
  sessionId: string;
  /** When the user last proved who they are: at the sign-in, or later. ISO 8601. */
  provenAt: string;
  hasSecondFactor: boolean;
  /** Whether the user signed in at the provider. */
  isUpstream: boolean;
}

/** Returns what tells a password from others without revealing it. */
export function passwordState(passwordHash: string | null): string {
  return passwordHash === null ? '' : hashSecret(passwordHash);
}

/**
 * Creates a session and ends the browser's earlier one. Also deletes expired sessions.
 *
 * @param input.provenAt when the user proved who they are, if not now
 * @param input.isNewBrowser whether to tell the account's owner by mail
 * @param input.replaces the token of the browser's earlier session
 * @returns the session's token; only its hash is stored
 * @throws UNAUTHORIZED if the account is gone or disabled, or has another password by now: what ends
 *   all sessions must also end a sign-in that was under way; FORBIDDEN if the provider let the user in
 *   no longer, until they sign in there
 */
export async function startSession(
  context: Context,
  input: {
    accountId: string;
    factors: readonly Factor[];
    password: string;
    userAgent: string;
    replaces: string | undefined;
    isNewBrowser: boolean;
    provenAt?: string | undefined;
    upstreamSid?: string | undefined;
  },
): Promise<string> {
  const token = newToken();
  const createdAt = context.now();
  await context.sql.transaction(async (tx) => {
    await requireExistingAccount(tx, input.accountId);
    // Locks the account, so that nothing changes what is read next.
    await updateSignedIn(tx, input.accountId, createdAt);
    const account = await findWaysIn(tx, input.accountId);
    const isSame =
      account?.disabledAt === null && passwordState(account.passwordHash) === input.password;
    if (!isSame) {
      throw new ServiceError('UNAUTHORIZED', 'Your account has changed meanwhile. Sign in again.');
    }
    if (account.refusedAt !== null) {
      // An administrator removed the link of who has another id there now.
      const isLinked = Number(account.providerLinks) > 0;
      if (isLinked && !input.factors.includes('provider')) throw refusedThere();
      await updateRefused(tx, input.accountId, null);
    }
    await deleteExpiredSessions(tx, createdAt);
    if (input.replaces !== undefined) await deleteSessionByHash(tx, hashSecret(input.replaces));
    await insertSession(tx, {
      id: context.newId(),
      accountId: input.accountId,
      tokenHash: hashSecret(token),
      createdAt,
      expiresAt: expiryOf(createdAt, createdAt),
      userAgent: input.userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      provenAt: input.provenAt ?? null,
      upstreamSid: input.upstreamSid ?? null,
    });
    await auditOwn(context, tx, input.accountId, 'session.started', input.factors);
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
    isUpstream: row.upstreamSid !== null,
  };
}

/**
 * Tells whether the user of a session proved recently enough who they are for a sensitive change.
 *
 * @param withinMs how long ago at most
 */
export function isProven(context: Context, visit: Visit, withinMs = PROOF_MS): boolean {
  return later(visit.provenAt, withinMs) > context.now();
}

/**
 * Notes that the user of a session has just proved who they are, and gives the session a new token:
 * whoever has stolen the old one doesn't share in what the proof allows, and is signed out.
 *
 * @param proof.token the session's token until now
 * @returns the new one; `undefined` if a proof in another tab was quicker, which the browser has the
 *   new token of
 * @throws UNAUTHORIZED if the session has ended
 */
export async function renewSession(
  context: Context,
  visit: Visit,
  proof: { token: string; factors: readonly Factor[] },
): Promise<string | undefined> {
  const token = newToken();
  const change = {
    from: hashSecret(proof.token),
    to: hashSecret(token),
    provenAt: context.now(),
  };
  const isRenewed = await context.sql.transaction(async (tx) => {
    if (!(await updateSessionProven(tx, visit.sessionId, change))) return false;
    await auditOwn(context, tx, visit.actor.id, 'session.confirmed', proof.factors);
    return true;
  });
  if (isRenewed) return token;
  await requireSession(context, visit);
  return undefined;
}

/**
 * Requires that a session hasn't ended, whatever its token is by now: for what it began earlier.
 *
 * @throws UNAUTHORIZED
 */
export async function requireSession(context: Context, { sessionId, actor }: Visit): Promise<void> {
  const row = await findSessionById(context.sql.read, sessionId);
  if (row?.accountId === actor.id && row.expiresAt > context.now()) return;
  throw new ServiceError('UNAUTHORIZED', 'You’re signed out. Sign in again in another tab.');
}

export async function endSession(context: Context, token: string): Promise<void> {
  await context.sql.transaction(async (tx) => {
    const [accountId] = await deleteSessionByHash(tx, hashSecret(token));
    if (accountId !== undefined) await auditOwn(context, tx, accountId, 'session.left');
  });
}

/** Signs the actor out of one browser. Ignores a session that has ended or isn't theirs. */
export async function endOwnSession(call: Call, id: string): Promise<void> {
  await call.sql.transaction(async (tx) => {
    const ended = await deleteSession(tx, call.actor.id, normaliseId(id));
    if (ended.length > 0) await audit(call, tx, { action: 'session.ended', actor: call.actor });
  });
}

/** Signs the actor out everywhere. @param exceptId the session that goes on */
export async function endAllSessions(call: Call, exceptId?: string): Promise<void> {
  await call.sql.transaction(async (tx) => {
    const { length: sessions } = await deleteSessions(tx, call.actor.id, exceptId);
    if (sessions === 0) return;
    await audit(call, tx, { action: 'session.ended', actor: call.actor, detail: { sessions } });
  });
}

/** Lists the actor's sessions, newest first. */
export async function listSessions(call: Call): Promise<SessionRow[]> {
  return listSessionRows(call.sql.read, call.actor.id, call.now());
}

function refusedThere(): ServiceError {
  return new ServiceError(
    'FORBIDDEN',
    'The provider with which you sign in here no longer let you in. Sign in there first.',
  );
}

/** Writes an entry about what somebody did with their own browser's session. */
async function auditOwn(
  context: Context,
  tx: Writer,
  id: string,
  action: 'session.started' | 'session.confirmed' | 'session.left',
  factors?: readonly Factor[],
): Promise<void> {
  const account = await findAccountById(tx, id);
  if (!account) return;
  await audit(context, tx, {
    action,
    actor: { id, username: account.username, via: VIA_WEB },
    ...(factors && { detail: { factors: factors.join(', ') } }),
  });
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function expiryOf(createdAt: string, usedAt: string): string {
  const [idle, lifetime] = [later(usedAt, IDLE_MS), later(createdAt, SESSION_LIFETIME_MS)];
  return idle < lifetime ? idle : lifetime;
}
