import { randomBytes } from 'node:crypto';
import { findAccountById } from '../account/account-store.ts';
import type { Scope } from '../account/scope.ts';
import { type Actor, type Context, later } from '../context.ts';
import { hashSecret } from '../crypto/hash-secret.ts';
import { FieldError, ServiceError } from '../errors.ts';
import { updateClientAuthorized } from './client-store.ts';
import { findFlow, takeFlow, upsertFlow } from './flow-store.ts';
import { insertGrant } from './grant-store.ts';
import { LIFETIMES } from './lifetimes.ts';
import { redirectHost } from './redirect-uri.ts';

/** What an application asks a person for. */
export interface AuthorizationRequest {
  clientId: string;
  /** What the application calls itself: its own claim. */
  clientName: string;
  /** Whether the id is an address that the application's host answers at. */
  hostProven: boolean;
  redirectUri: string;
  scopes: Scope[];
  /** Addresses of ours that it wants to use them at, as it wrote them. */
  resources: string[];
}

/** What the authorization server knows of a request that waits for its person. */
export interface Interaction {
  prompt?: { details?: { request?: AuthorizationRequest } };
  [name: string]: unknown;
}

/** What a person says to a request. */
export interface Decision {
  allow: boolean;
  /** What of the requested the application may do; nothing where it is denied. */
  scopes: Scope[];
}

/** What is kept of a decision until the API's host takes it. */
interface StoredDecision extends Decision {
  /** SHA-256 of the id of the interaction that it is about. */
  interaction: string;
}

export async function keepInteraction(
  context: Context,
  uid: string,
  interaction: Interaction,
  lifetimeMs: number,
): Promise<void> {
  const flow = {
    idHash: hashSecret(uid),
    kind: 'interaction',
    accountId: null,
    payload: JSON.stringify(interaction),
    expiresAt: later(context.now(), lifetimeMs),
  } as const;
  await context.sql.transaction((tx) => upsertFlow(tx, flow));
}

export async function findInteraction(
  context: Context,
  uid: string,
): Promise<Interaction | undefined> {
  const flow = await findFlow(context.sql.read, 'interaction', hashSecret(uid));
  return flow && flow.expiresAt > context.now() ? JSON.parse(flow.payload) : undefined;
}

export async function dropInteraction(context: Context, uid: string): Promise<void> {
  await context.sql.transaction((tx) => takeFlow(tx, 'interaction', hashSecret(uid)));
}

/**
 * What the application asks for whose request has this id.
 *
 * @throws NOT_FOUND when there is no such request, or it waited too long
 */
export async function getAuthorizationRequest(
  context: Context,
  uid: string,
): Promise<AuthorizationRequest> {
  const request = (await findInteraction(context, uid))?.prompt?.details?.request;
  if (!request) throw expired();
  return request;
}

/**
 * Keeps what a person said to a request. It counts only once the browser that the request came
 * from hands in the code, so that nobody can be talked into deciding about somebody else's request.
 *
 * @returns the code: 256 random bits in base64url, good for one minute and once
 * @throws NOT_FOUND when the request waited too long, BAD_REQUEST when nothing is allowed
 */
export async function decide(
  context: Context,
  actor: Actor,
  uid: string,
  decision: Decision,
): Promise<string> {
  const request = await getAuthorizationRequest(context, uid);
  const scopes = request.scopes.filter((scope) => decision.scopes.includes(scope));
  if (decision.allow && scopes.length === 0) {
    throw new FieldError('BAD_REQUEST', 'scope', 'choose at least one thing, or deny the request.');
  }
  const code = randomBytes(32).toString('base64url');
  const payload: StoredDecision = { interaction: hashSecret(uid), allow: decision.allow, scopes };
  await context.sql.transaction((tx) =>
    upsertFlow(tx, {
      idHash: hashSecret(code),
      kind: 'decision',
      accountId: actor.id,
      payload: JSON.stringify(payload),
      expiresAt: later(context.now(), LIFETIMES.decision),
    }),
  );
  return code;
}

/**
 * Makes a decision count; allowing makes the grant. The caller has seen that this is the browser
 * that the request came from.
 *
 * @returns the grant and whose it is, or `undefined` where the person said no
 * @throws NOT_FOUND when the code is unknown, used, expired or for another request, when the request
 *   waited too long, or the account is gone or disabled
 */
export async function applyDecision(
  context: Context,
  uid: string,
  code: string,
): Promise<{ grantId: string; accountId: string } | undefined> {
  const request = await getAuthorizationRequest(context, uid);
  const now = context.now();
  const applied = await context.sql.transaction(async (tx) => {
    const flow = await takeFlow(tx, 'decision', hashSecret(code));
    if (!flow || flow.accountId === null || flow.expiresAt <= now) return 'unusable';
    const decision: StoredDecision = JSON.parse(flow.payload);
    if (decision.interaction !== hashSecret(uid)) return 'unusable';
    if (!decision.allow) return 'denied';
    const account = await findAccountById(tx, flow.accountId);
    if (!account || account.disabledAt !== null) return 'unusable';
    const grantId = context.newId();
    await insertGrant(tx, {
      id: grantId,
      accountId: account.id,
      clientId: request.clientId,
      clientName: request.clientName,
      clientHost: redirectHost(request.redirectUri),
      resources: request.resources.join(' '),
      scopes: decision.scopes.join(' '),
      refusedScopes: request.scopes.filter((scope) => !decision.scopes.includes(scope)).join(' '),
      createdAt: now,
      expiresAt: later(now, LIFETIMES.grant),
    });
    await updateClientAuthorized(tx, request.clientId, now);
    return { grantId, accountId: account.id };
  });
  if (applied === 'unusable') throw expired();
  return applied === 'denied' ? undefined : applied;
}

/** Whether an account is there and not disabled, so that applications may act for it. */
export async function mayAct(context: Context, accountId: string): Promise<boolean> {
  const account = await findAccountById(context.sql.read, accountId);
  return account !== undefined && account.disabledAt === null;
}

function expired(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This request is unknown or has expired. Go back to the application and connect again.',
  );
}
