import { FieldError, ServiceError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import { findAccountById } from '../../core/identity/account-store.ts';
import { ALL_SCOPES, requireScope, type Scope } from '../../core/identity/scope.ts';
import { addToken } from '../../core/identity/token-service.ts';
import {
  countWorkingTokens,
  listEndedTokens,
  listWorkingTokens,
  type TokenRow,
  updateTokenRevoked,
} from '../../core/identity/token-store.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import type { ClosedOwner } from '../../core/owner/program-rule.ts';
import { closedOwners } from '../../core/owner/program-service.ts';
import { listProgramPolicies } from '../../core/owner/program-store.ts';
import { requireRoom } from '../../core/quota/quota-service.ts';

/** The most working tokens per person. */
export const MAX_WORKING_TOKENS = 100;

/** The longest lifetime of a token that expires. */
const MAX_TOKEN_LIFETIME_DAYS = 3_650;

/** How many expired or revoked tokens are listed. */
const ENDED_SHOWN = 100;

const DAY_MS = 24 * 60 * 60_000;

/** A personal access token as its owner sees it; times in ISO 8601. */
export interface OwnToken extends Omit<TokenRow, 'scopes'> {
  /** `everything` includes scopes added later, but not `admin`. */
  scopes: Scope[] | 'everything';
  /** The organizations that it doesn't reach because of their policies. */
  closedTo: readonly ClosedOwner[];
}

/**
 * Lists the actor's tokens, newest first: all that work, and the newest {@link ENDED_SHOWN}
 * that expired or were revoked.
 */
export async function listOwnTokens(
  context: Context,
  actor: Actor,
): Promise<{ working: OwnToken[]; ended: OwnToken[] }> {
  const now = context.now();
  const [working, ended, policies] = await Promise.all([
    listWorkingTokens(context.sql.read, actor.id, now),
    listEndedTokens(context.sql.read, actor.id, now, ENDED_SHOWN),
    listProgramPolicies(context.sql.read, actor.id),
  ]);
  const present = ({ scopes, ...token }: TokenRow): OwnToken => ({
    ...token,
    scopes: scopes === null ? 'everything' : (scopes.split(' ') as Scope[]),
    closedTo: closedOwners(policies, { means: 'token', ...token }, now),
  });
  return { working: working.map(present), ended: ended.map(present) };
}

/**
 * Creates a personal access token for the actor.
 *
 * @param input.scopes at least one, and only scopes the actor has; `admin` only for administrators
 * @param input.lifetimeDays 1 to {@link MAX_TOKEN_LIFETIME_DAYS}; without it, the token never
 *   expires
 * @returns the token; only its hash is stored
 * @throws BAD_REQUEST naming `name`, `scopes` or `lifetime`; InsufficientScope; UNPROCESSABLE if
 *   the actor has {@link MAX_WORKING_TOKENS} or, naming `scopes`, is no administrator; NOT_FOUND if
 *   the account is gone
 */
export async function createOwnToken(
  context: Context,
  actor: Actor,
  input: { name: string; scopes: readonly Scope[]; lifetimeDays: number | undefined },
): Promise<{ token: string; id: string }> {
  const scopes = ALL_SCOPES.filter((scope) => input.scopes.includes(scope));
  if (scopes.length === 0) {
    throw new FieldError('BAD_REQUEST', 'scopes', 'choose at least one.');
  }
  // A token must not create one that can do more than itself.
  for (const scope of scopes) requireScope(actor, scope);
  const lifetimeMs = readLifetime(input.lifetimeDays);
  return changeOwned(context, actor.username, async (tx) => {
    // Uses the id, because someone else may have the username by now.
    const account = await findAccountById(tx, actor.id);
    if (!account) throw new ServiceError('NOT_FOUND', 'This account no longer exists.');
    const working = await countWorkingTokens(tx, actor.id, context.now());
    await requireRoom(context, tx, actor.id, 'tokens', working);
    if (working >= MAX_WORKING_TOKENS) {
      throw new ServiceError(
        'UNPROCESSABLE',
        `You have ${MAX_WORKING_TOKENS} active tokens, which is the limit. Revoke one you no longer use.`,
      );
    }
    const token = await addToken(context, tx, account, { name: input.name, lifetimeMs, scopes });
    await queueSecurityNotice(context, tx, account.id, { what: 'token', name: token.name });
    const detail = { scopes: scopes.join(' '), days: input.lifetimeDays ?? null };
    await audit(context, tx, { action: 'token.created', actor, subject: token.name, detail });
    return token;
  });
}

/**
 * Revokes one of the actor's tokens for good.
 *
 * @throws NOT_FOUND if no working token of the actor has this id
 */
export async function revokeOwnToken(context: Context, actor: Actor, id: string): Promise<void> {
  const revoked = await context.sql.transaction(async (tx) => {
    const token = await updateTokenRevoked(tx, normaliseId(id), context.now(), actor.id);
    if (!token) return false;
    await audit(context, tx, { action: 'token.revoked', actor, subject: token.name });
    return true;
  });
  if (!revoked) throw new FieldError('NOT_FOUND', 'id', 'you have no active token with this id.');
}

/** @returns milliseconds */
function readLifetime(days: number | undefined): number | undefined {
  if (days === undefined) return undefined;
  if (!Number.isInteger(days) || days < 1 || days > MAX_TOKEN_LIFETIME_DAYS) {
    throw new FieldError(
      'BAD_REQUEST',
      'lifetime',
      `must be 1 to ${MAX_TOKEN_LIFETIME_DAYS} days, or unlimited.`,
    );
  }
  return days * DAY_MS;
}
