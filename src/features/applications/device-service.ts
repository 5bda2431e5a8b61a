import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError } from '../../base/errors.ts';
import { type Call, type Context, later } from '../../core/context.ts';
import { countAttempt, deviceCodeBudgets, forgiveAttempt } from '../../core/identity/attempts.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { findDevice, insertDevice, updateDevice } from './device-store.ts';
import { upsertFlow } from './flow-store.ts';
import { endWithEntry } from './issued-token-service.ts';

/** What the authorization server knows of a device that asks (RFC 8628). */
export interface Asking {
  deviceInfo: AuthorizationRequest;
  [name: string]: unknown;
}

/**
 * Stores a device's request, with the hashes of its codes.
 *
 * @param codes.userCode without its hyphen
 */
export async function storeDeviceCode(
  context: Context,
  codes: { secret: string; userCode: string },
  asking: Asking,
  lifetimeMs: number,
): Promise<void> {
  const device = {
    deviceHash: hashSecret(codes.secret),
    userHash: hashSecret(codes.userCode),
    payload: JSON.stringify(asking),
    expiresAt: later(context.now(), lifetimeMs),
  };
  await context.sql.transaction((tx) => insertDevice(tx, device));
}

/** Finds a device's request by its own code, with what the person decided. */
export async function findDeviceCode(
  context: Context,
  secret: string,
): Promise<{ fields: object; isExpired: boolean; consumedAt: string | undefined } | undefined> {
  const row = await findDevice(context.sql.read, 'deviceHash', hashSecret(secret));
  if (!row) return undefined;
  return {
    fields: { ...JSON.parse(row.payload), ...JSON.parse(row.answer ?? '{}') },
    isExpired: row.expiresAt <= context.now(),
    consumedAt: row.consumedAt ?? undefined,
  };
}

/**
 * Uses up a device's code. If it is used twice, even in another process, it has been stolen, and its
 * grant ends. A refusal isn't used up: it can be asked for again.
 *
 * @returns `false` if it must not be used
 */
export async function consumeDeviceCode(context: Context, secret: string): Promise<boolean> {
  const key = hashSecret(secret);
  return context.sql.transaction(async (tx) => {
    const row = await findDevice(tx, 'deviceHash', key);
    if (!row) return false;
    if (!row.grantId) return true;
    const used = { consumedAt: context.now() };
    if (await updateDevice(tx, key, 'consumedAt', used)) return true;
    await endWithEntry(context, tx, row.grantId);
    return false;
  });
}

/**
 * Finds the device that shows a code, and makes it a request that this user decides about. Wrong codes
 * are counted by account and address.
 *
 * @param typed in any case, with or without a hyphen
 * @returns the request's id, for the consent page
 * @throws BAD_REQUEST naming `user_code` if no device waits with it; TooManyAttempts
 */
export async function enterUserCode(call: Call, typed: string, address: string): Promise<string> {
  const { actor } = call;
  const budgets = deviceCodeBudgets(actor.id, address);
  // Each right code stores a request, also the same one again.
  await countAttempt(call.limiter, [['webLookup', actor.id], ...budgets]);
  const userCode = typed.toUpperCase().replace(/[^A-Z]/g, '');
  const device = await findDevice(call.sql.read, 'userHash', hashSecret(userCode));
  if (!device || device.answer !== null || device.expiresAt <= call.now()) {
    const problem = 'no device waits with this code. Check it, or start again on the device.';
    throw new FieldError('BAD_REQUEST', 'user_code', problem);
  }
  await forgiveAttempt(call.limiter, budgets);
  const { deviceInfo }: Asking = JSON.parse(device.payload);
  const shown = { ...deviceInfo.device, accountId: actor.id, userCode: shownCode(userCode) };
  const request = { ...deviceInfo, device: { ...shown, hash: device.deviceHash } };
  const uid = randomBytes(32).toString('base64url');
  await call.sql.transaction((tx) =>
    upsertFlow(tx, {
      idHash: hashSecret(uid),
      kind: 'interaction',
      accountId: actor.id,
      payload: JSON.stringify({ prompt: { details: { request } } }),
      expiresAt: device.expiresAt,
    }),
  );
  return uid;
}

/**
 * Stores what a user decided about a device, `undefined` if they refused. @returns `false` if somebody has
 * decided already. The request that they decide about has expired when the device no longer waits
 */
export function answerDevice(
  tx: Writer,
  hash: string,
  granted?: { accountId: string; grantId: string; scope: string; resource: string[] },
): Promise<boolean> {
  const answer = granted ?? { error: 'access_denied', errorDescription: 'the user denied it' };
  const change = { answer: JSON.stringify(answer), grantId: granted?.grantId ?? null };
  return updateDevice(tx, hash, 'answer', change);
}

/** Returns a code as devices show it, or as much of it as somebody typed. */
export function shownCode(typed: string): string {
  const letters = typed
    .toUpperCase()
    .replace(/[^A-Z]/g, '')
    .slice(0, 8);
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters;
}
