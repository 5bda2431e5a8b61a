import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import type { Via } from '../../base/schema/means.ts';
import { parseShownName } from '../../base/text/shown-name.ts';
import type { Reach } from '../../storage/sql/narrowed.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { audit } from '../audit/audit.ts';
import { bestEffortWrite } from '../best-effort-write.ts';
import { type Actor, type Context, later } from '../context.ts';
import { queueSecurityNotice } from '../outbox/queue-service.ts';
import type { Program } from '../owner/program-rule.ts';
import { findClosedOwners } from '../owner/program-service.ts';
import { requireAccount } from './account-service.ts';
import type { AccountRow } from './account-store.ts';
import { updateGrantUsed } from './grant-store.ts';
import { findAccess } from './issued-token-store.ts';
import { isUseDue, LAST_USE_PRECISION_MS } from './last-use.ts';
import { readReach, scopesWithin } from './reach.ts';
import { type Resource, resourceAddress } from './resources.ts';
import { commonScopes, type Scope, USUAL_SCOPES } from './scope.ts';
import { formatToken, isPersonalToken, isWellFormedToken, TOKEN_SECRET_BYTES } from './token.ts';
import {
  findCredential,
  insertToken,
  listTokens,
  type TokenRow,
  updateTokenRevoked,
  updateTokenUsed,
  type WorkingAt,
} from './token-store.ts';

/** The format of access tokens: 256 random bits in base64url. */
const SHAPE = /^[\w-]{43}$/;

/**
 * Authenticates an application's access token. Returns `undefined` if it is malformed, unknown or
 * for another resource, if it or its grant has expired, or if its account is disabled. A malformed
 * token costs no query.
 *
 * @param resource where the token was used
 */
async function authenticateApplication(
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
  const reach = readReach(row.reach);
  const scopes = scopesWithin(reach, commonScopes(row.scopes, row.grantScopes));
  const via: Via = { means: 'application', name: row.clientName };
  const { accountId: id, username, grantId: credentialId } = row;
  const refusedScopes = commonScopes(row.refusedScopes, row.refusedScopes);
  const actor = { id, username, scopes, refusedScopes, via, credentialId, reach };
  if (!row.programPolicies) return actor;
  const { grantCreatedAt: createdAt, grantExpiresAt: expiresAt } = row;
  return withClosedOwners(context, actor, { means: 'application', createdAt, expiresAt });
}

/**
 * Returns the actor behind a bearer token, personal or an application's. Returns `undefined` if it
 * is malformed, unknown, revoked or expired, or if its account is disabled. A mistyped token costs
 * no query.
 *
 * @param resource where the token was used. An application's token works only for the resource it
 *   was issued for, a personal one everywhere.
 */
export async function authenticate(
  context: Context,
  token: string,
  resource: Resource,
): Promise<Actor | undefined> {
  const actor = await (isPersonalToken(token)
    ? authenticatePersonal(context, token)
    : authenticateApplication(context, token, resource));
  if (!actor) return undefined;
  return {
    ...actor,
    found: (documentId, action) => context.presence.called(actor, documentId, action),
  };
}

async function authenticatePersonal(context: Context, token: string): Promise<Actor | undefined> {
  if (!isWellFormedToken(token)) return undefined;
  const row = await findCredential(context.sql.read, hashSecret(token));
  const now = context.now();
  if (!row) return undefined;
  const expiresAt = endOf(context, row);
  if (expiresAt !== null && expiresAt <= now) return undefined;
  if (isUseDue(row.lastUsedAt, now)) {
    await bestEffortWrite(context, () =>
      context.sql.transaction((tx) => updateTokenUsed(tx, row.tokenId, now)),
    );
  }
  const reach = readReach(row.reach);
  const given = row.scopes === null ? USUAL_SCOPES : (row.scopes.split(' ') as Scope[]);
  const scopes = scopesWithin(reach, given);
  const via: Via = { means: 'token', name: row.tokenName };
  const { accountId: id, username, tokenId: credentialId, createdAt } = row;
  const actor = { id, username, scopes, via, credentialId, reach };
  if (!row.programPolicies) return actor;
  return withClosedOwners(context, actor, { means: 'token', createdAt, expiresAt });
}

/** Returns when a personal token ends: at its own end, or when the server lets no token work longer. */
export function endOf(
  { tokenLifetimeMs }: Context,
  { createdAt, expiresAt }: Pick<TokenRow, 'createdAt' | 'expiresAt'>,
): string | null {
  if (tokenLifetimeMs === undefined) return expiresAt;
  const latest = later(createdAt, tokenLifetimeMs);
  return expiresAt !== null && expiresAt < latest ? expiresAt : latest;
}

/** Tells which personal tokens work now. */
export function workingNow(context: Context): WorkingAt {
  const now = context.now();
  const { tokenLifetimeMs } = context;
  return { now, since: tokenLifetimeMs === undefined ? undefined : later(now, -tokenLifetimeMs) };
}

async function withClosedOwners(context: Context, actor: Actor, program: Program): Promise<Actor> {
  const now = context.now();
  const closedOwners = await findClosedOwners(context.sql.read, actor.id, program, now);
  return closedOwners.length === 0 ? actor : { ...actor, closedOwners };
}

interface NewToken {
  name: string;
  /** Without it, the token works until it is revoked. */
  lifetimeMs: number | undefined;
  /** Without them, the token has all scopes but `admin`, also those added later. */
  scopes?: readonly Scope[];
  /** Without it, the token reaches everything that its account does. */
  reach?: Reach | undefined;
}

/**
 * Creates a personal access token for an operator of the server.
 *
 * @returns the token; only its hash is stored
 * @throws NOT_FOUND if there is no such user, UNPROCESSABLE if the account is disabled, or naming
 *   `scopes` for `admin` unless it administers the instance; BAD_REQUEST for a bad name
 */
export async function createToken(
  context: Context,
  input: NewToken & { username: string },
): Promise<{ token: string; id: string }> {
  return context.sql.transaction(async (tx) => {
    const account = await requireAccount(tx, input.username);
    const token = await addToken(context, tx, account, input);
    const event = { what: 'token', name: token.name } as const;
    await queueSecurityNotice(context, tx, account.id, event, { byOperator: true });
    const made = { accountId: account.id, subject: token.name };
    await audit(context, tx, { action: 'token.created', ...made });
    return token;
  });
}

/** Does the same as {@link createToken} inside a larger transaction, without telling the owner. */
export async function addToken(
  context: Context,
  tx: Writer,
  account: AccountRow,
  input: NewToken,
): Promise<{ token: string; id: string; name: string }> {
  const parsed = parseShownName(input.name);
  if ('problem' in parsed) throw new FieldError('BAD_REQUEST', 'name', `${parsed.problem}.`);
  if (account.disabledAt !== null) {
    throw new FieldError('UNPROCESSABLE', 'username', 'this account is disabled.');
  }
  if (input.scopes?.includes('admin') && account.adminSince === null) {
    const problem = `only administrators of this instance can have “admin”, and ${account.username} isn’t one.`;
    throw new FieldError('UNPROCESSABLE', 'scopes', problem);
  }
  const token = formatToken(randomBytes(TOKEN_SECRET_BYTES));
  const createdAt = context.now();
  const id = context.newId();
  await insertToken(tx, {
    id,
    accountId: account.id,
    name: parsed.name,
    tokenHash: hashSecret(token),
    createdAt,
    expiresAt: input.lifetimeMs === undefined ? null : later(createdAt, input.lifetimeMs),
    scopes: input.scopes?.join(' ') ?? null,
    reach: input.reach ? JSON.stringify(input.reach) : null,
  });
  return { token, id, name: parsed.name };
}

/** Lists a user's tokens, newest first, including revoked ones. */
export async function listAccountTokens(context: Context, username: string): Promise<TokenRow[]> {
  const account = await requireAccount(context.sql.read, username);
  const tokens = await listTokens(context.sql.read, account.id);
  return tokens.map((token) => ({ ...token, expiresAt: endOf(context, token) }));
}

/** Revokes a token for good. @throws NOT_FOUND if no working token has this id */
export async function revokeToken(context: Context, id: string): Promise<void> {
  const revoked = await context.sql.transaction(async (tx) => {
    const token = await updateTokenRevoked(tx, normaliseId(id), context.now());
    if (!token) return false;
    const { accountId, name: subject } = token;
    await audit(context, tx, { action: 'token.revoked', accountId, subject });
    return true;
  });
  if (!revoked) throw new FieldError('NOT_FOUND', 'id', 'no active token has this id.');
}
