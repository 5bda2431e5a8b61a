import { type Context, later } from '../../core/context.ts';
import { deleteSpentGrants } from '../../core/identity/grant-store.ts';
import { deleteExpiredTokens } from '../../core/identity/issued-token-store.ts';
import { deleteUnusedClients } from './client-store.ts';
import { deleteExpiredDevices } from './device-store.ts';
import { deleteExpiredFlows } from './flow-store.ts';
import { LIFETIMES } from './lifetimes.ts';

/** Deletes what has expired or is unused. @returns how many of each */
export async function sweepAuthorization(
  context: Context,
): Promise<{ tokens: number; flows: number; grants: number; clients: number }> {
  const now = context.now();
  return context.sql.transaction(async (tx) => ({
    tokens: await deleteExpiredTokens(tx, now),
    flows:
      (await deleteExpiredFlows(tx, now)) +
      (await deleteExpiredDevices(tx, later(now, -LIFETIMES.expiredDevice))),
    grants: await deleteSpentGrants(tx, { now, createdBefore: later(now, -LIFETIMES.spentGrant) }),
    clients: await deleteUnusedClients(tx, {
      neverUsedSince: later(now, -LIFETIMES.unusedClient),
      lastUsedBefore: later(now, -LIFETIMES.formerClient),
    }),
  }));
}
