import { type Context, later } from '../context.ts';
import { hashSecret } from '../crypto/hash-secret.ts';
import { deleteGrant, findGrant, type GrantRow } from './grant-store.ts';
import {
  deleteIssuedToken,
  findIssuedToken,
  type IssuedTokenKind,
  insertIssuedToken,
  updateConsumed,
} from './issued-token-store.ts';
import { LIFETIMES } from './lifetimes.ts';

/** What the authorization server knows of a code or token, besides the secret itself. */
export interface IssuedToken {
  grantId: string;
  /** Separated by spaces. */
  scope?: string | undefined;
  /** Which addresses of ours an access token is for, separated by spaces. */
  aud?: string | undefined;
  [name: string]: unknown;
}

/**
 * Keeps a code or token that is about to be handed out.
 *
 * @returns `false` when its grant has ended; then it must not be handed out
 */
export async function keepIssuedToken(
  context: Context,
  kind: IssuedTokenKind,
  secret: string,
  token: IssuedToken,
  lifetimeMs: number,
): Promise<boolean> {
  const createdAt = context.now();
  return context.sql.transaction((tx) =>
    insertIssuedToken(tx, {
      hash: hashSecret(secret),
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
 * A code or token that has not expired, and whether it was consumed. A refresh token counts as
 * consumed only after its grace.
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
  return {
    token: JSON.parse(row.payload),
    consumedAt: consumed ? (row.consumedAt ?? undefined) : undefined,
  };
}

/**
 * Consumes a code or refresh token. A code that was consumed before, here or by another process, is
 * in somebody else's hands, so its grant ends (OAuth 2.1, section 4.1.3).
 *
 * @returns `false` when it may not be used
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
    // Within its grace, which began with its first use.
    if (row && kind === 'refresh') return true;
    if (row) await deleteGrant(tx, row.grantId);
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

/** A grant that has not expired. */
export async function findWorkingGrant(
  context: Context,
  id: string,
): Promise<GrantRow | undefined> {
  const grant = await findGrant(context.sql.read, id);
  return grant && grant.expiresAt > context.now() ? grant : undefined;
}

/** Ends a grant, and with it everything issued on it, at once. */
export async function endGrant(context: Context, id: string): Promise<void> {
  await context.sql.transaction((tx) => deleteGrant(tx, id));
}
