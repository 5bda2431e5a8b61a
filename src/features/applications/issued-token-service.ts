import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { audit } from '../../core/audit/audit.ts';
import { type Context, later } from '../../core/context.ts';
import { deleteGrant, findGrant, type GrantRow } from '../../core/identity/grant-store.ts';
import {
  deleteIssuedToken,
  findIssuedToken,
  type IssuedTokenKind,
  insertIssuedToken,
  updateConsumed,
} from '../../core/identity/issued-token-store.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { LIFETIMES } from './lifetimes.ts';

/** A code or token without its secret. */
export interface IssuedToken {
  grantId: string;
  /** Separated by spaces. */
  scope?: string | undefined;
  /** The resource addresses of an access token, separated by spaces. */
  aud?: string | undefined;
  [name: string]: unknown;
}

/**
 * Stores a code or token before it is issued. @returns `false` if its grant has ended; then don't
 * issue it
 */
export async function storeIssuedToken(
  context: Context,
  kind: IssuedTokenKind,
  secret: string,
  token: IssuedToken,
  lifetimeMs: number,
): Promise<boolean> {
  const createdAt = context.now();
  return context.sql.transaction((tx) =>
    insertIssuedToken(tx, {
      tokenHash: hashSecret(secret),
      kind,
      grantId: token.grantId,
      scopes: token.scope ?? '',
      audience: token.aud ?? null,
      payload: JSON.stringify(token),
      createdAt,
      expiresAt: later(createdAt, lifetimeMs),
    }),
  );
}

/**
 * Finds an unexpired code or token, and when it was consumed. A refresh token counts as consumed
 * only after its grace period.
 */
export async function findUsableToken(
  context: Context,
  kind: IssuedTokenKind,
  secret: string,
): Promise<{ token: IssuedToken; consumedAt: string | undefined } | undefined> {
  const row = await findIssuedToken(context.sql.read, kind, hashSecret(secret));
  const now = context.now();
  if (!row || row.expiresAt <= now) return undefined;
  const grace = kind === 'refresh' ? LIFETIMES.refreshGrace : 0;
  const consumed = row.consumedAt !== null && later(row.consumedAt, grace) <= now;
  const token: IssuedToken = JSON.parse(row.payload);
  return {
    token: { ...token, scope: token.scope && stillGranted(token.scope, row.grantScopes) },
    consumedAt: consumed ? (row.consumedAt ?? undefined) : undefined,
  };
}

/** Returns a token's scopes without those that the user has taken away since. */
function stillGranted(scopes: string, granted: string): string {
  const own: readonly string[] = ALL_SCOPES;
  const left = granted.split(' ');
  const isLeft = (scope: string) => !own.includes(scope) || left.includes(scope);
  return scopes.split(' ').filter(isLeft).join(' ');
}

/**
 * Consumes a code or refresh token. A code that is used twice, even in another process, has been
 * stolen, so its grant ends (OAuth 2.1, section 4.1.3).
 *
 * @returns `false` if it must not be used
 */
export async function consumeToken(
  context: Context,
  kind: 'code' | 'refresh',
  secret: string,
): Promise<boolean> {
  const key = hashSecret(secret);
  return context.sql.transaction(async (tx) => {
    if (await updateConsumed(tx, kind, key, context.now())) return true;
    const row = await findIssuedToken(tx, kind, key);
    // Used again within its grace period, which `findUsableToken` has checked.
    if (row && kind === 'refresh') return true;
    if (row) await endWithEntry(context, tx, row.grantId);
    return false;
  });
}

export async function dropToken(
  context: Context,
  kind: IssuedTokenKind,
  secret: string,
): Promise<void> {
  await context.sql.transaction((tx) => deleteIssuedToken(tx, kind, hashSecret(secret)));
}

/** Finds an unexpired grant. */
export async function findWorkingGrant(
  context: Context,
  id: string,
): Promise<GrantRow | undefined> {
  const grant = await findGrant(context.sql.read, id);
  return grant && grant.expiresAt > context.now() ? grant : undefined;
}

export async function endGrant(context: Context, id: string): Promise<void> {
  await context.sql.transaction((tx) => endWithEntry(context, tx, id));
}

/** Ends a grant as the application asked for, or because a code was used twice. */
export async function endWithEntry(context: Context, tx: Writer, id: string): Promise<void> {
  const ended = await deleteGrant(tx, id);
  if (!ended) return;
  const { accountId, clientName: subject } = ended;
  await audit(context, tx, { action: 'application.disconnected', accountId, subject });
}
