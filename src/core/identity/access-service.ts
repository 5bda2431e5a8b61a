import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { bestEffortWrite } from '../best-effort-write.ts';
import { type Actor, type Context, later } from '../context.ts';
import { updateGrantUsed } from './grant-store.ts';
import { findAccess } from './issued-token-store.ts';
import { isUseDue, LAST_USE_PRECISION_MS } from './last-use.ts';
import type { Via } from './means.ts';
import { type Resource, resourceAddress } from './resources.ts';
import type { Scope } from './scope.ts';

/** The format of access tokens: 256 random bits in base64url. */
const SHAPE = /^[\w-]{43}$/;

/**
 * Authenticates an application's access token. Returns `undefined` if it is malformed, unknown or
 * for another resource, if it or its grant has expired, or if its account is disabled. A malformed
 * token costs no query.
 *
 * @param resource where the token was used
 */
export async function authenticateApplication(
  context: Context,
  token: string,
  resource: Resource,
): Promise<Actor | undefined> {
  if (!SHAPE.test(token)) return undefined;
  const row = await findAccess(context.sql.read, hashSecret(token));
  const now = context.now();
  if (!row || row.expiresAt <= now || row.grantExpiresAt <= now) return undefined;
  const audiences = row.audience?.split(' ') ?? [];
  if (!audiences.includes(resourceAddress(context.baseUrl, resource))) return undefined;
  if (isUseDue(row.lastUsedAt, now)) {
    const notSince = later(now, -LAST_USE_PRECISION_MS);
    await bestEffortWrite(context, () =>
      context.sql.transaction((tx) => updateGrantUsed(tx, row.grantId, now, notSince)),
    );
  }
  const scopes = row.scopes.split(' ').filter((scope) => scope !== '') as Scope[];
  const via: Via = { means: 'application', name: row.clientName };
  const { accountId: id, username, grantId: credentialId } = row;
  return { id, username, scopes, via, credentialId };
}
