import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { audit } from '../../core/audit/audit.ts';
import { type Actor, type Context, later } from '../../core/context.ts';
import { findAccountById } from '../../core/identity/account-store.ts';
import { isAdmin } from '../../core/identity/admin.ts';
import { insertGrant, listGrants } from '../../core/identity/grant-store.ts';
import type { Scope } from '../../core/identity/scope.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { updateClientAuthorized } from './client-store.ts';
import { findFlow, takeFlow, upsertFlow } from './flow-store.ts';
import { LIFETIMES } from './lifetimes.ts';
import { redirectHost } from './redirect-uri.ts';

/** An application's request to a user. */
export interface AuthorizationRequest {
  clientId: string;
  /** The application's own name, unverified. */
  clientName: string;
  /** Whether the client id is an address on the application's host. */
  hostProven: boolean;
  redirectUri: string;
  scopes: Scope[];
  /** Our resource addresses that it wants to access, as it wrote them. */
  resources: string[];
}

/** The authorization server's state of a request that waits for the user. */
export interface Interaction {
  prompt?: { details?: { request?: AuthorizationRequest } };
  [name: string]: unknown;
}

export interface Decision {
  allow: boolean;
  /** The granted part of the requested scopes; empty if denied. */
  scopes: Scope[];
}

/** A decision until the API's host applies it. */
interface StoredDecision extends Decision {
  /** SHA-256 of the interaction's id. */
  interaction: string;
}

export async function storeInteraction(
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

/** Returns the name of the application whose request has this id, if there is one. */
export async function findApplicationName(
  context: Context,
  uid: string,
): Promise<string | undefined> {
  return (await findInteraction(context, uid))?.prompt?.details?.request?.clientName;
}

/** Returns the request with this id. @throws NOT_FOUND if it is unknown or expired */
export async function getAuthorizationRequest(
  context: Context,
  uid: string,
): Promise<AuthorizationRequest> {
  const request = (await findInteraction(context, uid))?.prompt?.details?.request;
  if (!request) throw expired();
  return request;
}

/**
 * Returns the request with this id as a user can grant it: only administrators of the instance can
 * grant `admin`.
 *
 * @throws NOT_FOUND if it is unknown or expired
 */
export async function getGrantableRequest(
  context: Context,
  actor: Pick<Actor, 'id'>,
  uid: string,
): Promise<AuthorizationRequest> {
  const request = await getAuthorizationRequest(context, uid);
  if (!request.scopes.includes('admin')) return request;
  if (await isAdmin(context.sql.read, actor.id)) return request;
  return { ...request, scopes: request.scopes.filter((scope) => scope !== 'admin') };
}

/**
 * Stores a user's decision. It applies only once the browser that started the request submits the
 * code, so no one can trick a user into deciding about someone else's request.
 *
 * @returns the code: 256 random bits in base64url, valid once and for one minute
 * @throws NOT_FOUND if the request has expired, BAD_REQUEST if no scope is allowed
 */
export async function decide(
  context: Context,
  actor: Actor,
  uid: string,
  decision: Decision,
): Promise<string> {
  const request = await getGrantableRequest(context, actor, uid);
  const scopes = request.scopes.filter((scope) => decision.scopes.includes(scope));
  if (decision.allow && scopes.length === 0) {
    throw new FieldError(
      'BAD_REQUEST',
      'scope',
      'choose at least one permission, or deny the request.',
    );
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
 * Applies a decision, and creates the grant if it was allowed. Tells the account's owner by mail, unless
 * the application can already do as much. The caller has checked that this is
 * the browser that started the request.
 *
 * @returns the grant and its account, or `undefined` if the user denied
 * @throws NOT_FOUND if the code is unknown, used, expired or for another request, if the request
 *   has expired, if the account is deleted or disabled, or no longer administers what it granted
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
    if (decision.scopes.includes('admin') && account.adminSince === null) return 'unusable';
    const isRenewal = (await listGrants(tx, account.id, now)).some(
      ({ clientId, scopes }) =>
        clientId === request.clientId &&
        decision.scopes.every((scope) => scopes.split(' ').includes(scope)),
    );
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
    await audit(context, tx, {
      action: 'application.connected',
      actor: { id: account.id, username: account.username, via: VIA_WEB },
      subject: request.clientName,
      detail: { host: redirectHost(request.redirectUri), scopes: decision.scopes.join(' ') },
    });
    if (!isRenewal) {
      const { clientName: name, redirectUri } = request;
      const event = { what: 'application', name, host: redirectHost(redirectUri) } as const;
      await queueSecurityNotice(context, tx, account.id, event);
    }
    return { grantId, accountId: account.id };
  });
  if (applied === 'unusable') throw expired();
  return applied === 'denied' ? undefined : applied;
}

/** Tells whether an account exists and is not disabled. */
export async function isActiveAccount(context: Context, accountId: string): Promise<boolean> {
  const account = await findAccountById(context.sql.read, accountId);
  return account !== undefined && account.disabledAt === null;
}

function expired(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This request is unknown or has expired. Go back to the app and connect again.',
  );
}
