import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { audit } from '../../core/audit/audit.ts';
import { type Actor, type Call, type Context, later } from '../../core/context.ts';
import { resolveReach } from '../../core/document/reach-service.ts';
import { findAccountById } from '../../core/identity/account-store.ts';
import { isAdmin } from '../../core/identity/admin.ts';
import { insertGrant, listGrants } from '../../core/identity/grant-store.ts';
import { REACHING_SCOPES } from '../../core/identity/reach.ts';
import type { Scope } from '../../core/identity/scope.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import type { Reach } from '../../storage/sql/narrowed.ts';
import { type AuthorizationRequest, destinationOf } from './authorization-request.ts';
import { updateClientAuthorized } from './client-store.ts';
import { answerDevice } from './device-service.ts';
import { findFlow, takeFlow, upsertFlow } from './flow-store.ts';
import { LIFETIMES } from './lifetimes.ts';

/** The authorization server's state of a request that waits for the user. */
export interface Interaction {
  prompt?: { details?: { request?: AuthorizationRequest } };
  [name: string]: unknown;
}

export interface Decision {
  allow: boolean;
  /** The granted part of the requested scopes; empty if denied. */
  scopes: Scope[];
  /** What to limit the application to, as for {@link resolveReach}. */
  reach?: string;
}

/** A decision until the API's host applies it. */
interface StoredDecision extends Omit<Decision, 'reach'> {
  reach?: Reach | undefined;
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
 * @throws NOT_FOUND if it is unknown or expired, or a device's whose code somebody else entered
 */
export async function getGrantableRequest(
  context: Context,
  actor: Pick<Actor, 'id'>,
  uid: string,
): Promise<AuthorizationRequest> {
  const request = await getAuthorizationRequest(context, uid);
  if (request.device && request.device.accountId !== actor.id) throw expired();
  if (!request.scopes.includes('admin')) return request;
  if (await isAdmin(context.sql.read, actor.id)) return request;
  return { ...request, scopes: request.scopes.filter((scope) => scope !== 'admin') };
}

/**
 * Stores a user's decision. It applies only once the browser that started the request submits the
 * code, so no one can trick a user into deciding about someone else's request.
 *
 * @returns the code: 256 random bits in base64url, valid once and for one minute
 * @throws NOT_FOUND if the request has expired, BAD_REQUEST if no scope is allowed; errors of
 *   {@link resolveReach}
 */
export async function decide(call: Call, uid: string, decision: Decision): Promise<string> {
  const request = await getGrantableRequest(call, call.actor, uid);
  const reach = await resolveReach(call, decision.reach ?? '');
  const scopes = request.scopes.filter(
    (scope) => decision.scopes.includes(scope) && (!reach || REACHING_SCOPES.includes(scope)),
  );
  if (decision.allow && reach && scopes.length === 0) {
    const problem = 'an app for some documents needs a permission that is about documents.';
    throw new FieldError('BAD_REQUEST', 'reach', problem);
  }
  if (decision.allow && scopes.length === 0) {
    throw new FieldError(
      'BAD_REQUEST',
      'scope',
      'choose at least one permission, or deny the request.',
    );
  }
  const code = randomBytes(32).toString('base64url');
  const payload: StoredDecision = {
    interaction: hashSecret(uid),
    allow: decision.allow,
    scopes,
    reach,
  };
  await call.sql.transaction((tx) =>
    upsertFlow(tx, {
      idHash: hashSecret(code),
      kind: 'decision',
      accountId: call.actor.id,
      payload: JSON.stringify(payload),
      expiresAt: later(call.now(), LIFETIMES.decision),
    }),
  );
  return code;
}

/**
 * Applies a decision, and creates the grant if it was allowed. Tells the account's owner by mail, unless
 * the application can already do as much; but anybody could start a known application on a device. The
 * caller has checked that this is the browser that started the request, or in which the device's code
 * was entered.
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
    const deviceHash = request.device?.hash;
    if (deviceHash) await takeFlow(tx, 'interaction', hashSecret(uid));
    if (!decision.allow) {
      const isTold = !deviceHash || (await answerDevice(tx, deviceHash));
      return isTold ? 'denied' : 'unusable';
    }
    const account = await findAccountById(tx, flow.accountId);
    if (!account || account.disabledAt !== null) return 'unusable';
    if (decision.scopes.includes('admin') && account.adminSince === null) return 'unusable';
    const isRenewal =
      !request.device &&
      (await listGrants(tx, account.id, now)).some(
        ({ clientId, scopes, reach }) =>
          clientId === request.clientId &&
          reach === null &&
          decision.scopes.every((scope) => scopes.split(' ').includes(scope)),
      );
    const grantId = context.newId();
    const host = destinationOf(request);
    await insertGrant(tx, {
      id: grantId,
      accountId: account.id,
      clientId: request.clientId,
      clientName: request.clientName,
      clientHost: host,
      resources: request.resources.join(' '),
      scopes: decision.scopes.join(' '),
      refusedScopes: request.scopes.filter((scope) => !decision.scopes.includes(scope)).join(' '),
      reach: decision.reach ? JSON.stringify(decision.reach) : null,
      createdAt: now,
      expiresAt: later(now, LIFETIMES.grant),
    });
    if (deviceHash) {
      const [scope, resource] = [decision.scopes.join(' '), request.resources];
      const granted = { accountId: account.id, grantId, scope, resource };
      // Undoes all of this, too.
      if (!(await answerDevice(tx, deviceHash, granted))) throw expired();
    }
    await updateClientAuthorized(tx, request.clientId, now);
    await audit(context, tx, {
      action: 'application.connected',
      actor: { id: account.id, username: account.username, via: VIA_WEB },
      subject: request.clientName,
      detail: { host, scopes: decision.scopes.join(' ') },
    });
    if (!isRenewal) {
      const event = { what: 'application', name: request.clientName, host } as const;
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
