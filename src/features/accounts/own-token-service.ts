import { FieldError, ServiceError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call } from '../../core/context.ts';
import { describeReach, resolveReach } from '../../core/document/reach-service.ts';
import { findAccountById } from '../../core/identity/account-store.ts';
import { REACHING_SCOPES, readReach, scopesWithin } from '../../core/identity/reach.ts';
import { ALL_SCOPES, requireScope, type Scope } from '../../core/identity/scope.ts';
import { SCOPE_DESCRIPTIONS } from '../../core/identity/scope-descriptions.ts';
import { addToken, endOf, workingNow } from '../../core/identity/token-service.ts';
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

/** A personal access token as its owner sees it; times in ISO 8601. */
export interface OwnToken extends Omit<TokenRow, 'scopes' | 'reach'> {
  /** `everything` includes scopes added later, but not `admin`. */
  scopes: Scope[] | 'everything';
  /** The organizations that it doesn't reach because of their policies. */
  closedTo: readonly ClosedOwner[];
  /** What it is limited to; empty for everything. */
  reaches: readonly string[];
}

/**
 * Lists the actor's tokens, newest first: all that work, and the newest {@link ENDED_SHOWN}
 * that expired or were revoked.
 */
export async function listOwnTokens(
  call: Call,
): Promise<{ working: OwnToken[]; ended: OwnToken[] }> {
  const now = call.now();
  const [working, ended, policies] = await Promise.all([
    listWorkingTokens(call.sql.read, call.actor.id, workingNow(call)),
    listEndedTokens(call.sql.read, call.actor.id, workingNow(call), ENDED_SHOWN),
    listProgramPolicies(call.sql.read, call.actor.id),
  ]);
  const present = async ({ scopes, reach, ...token }: TokenRow): Promise<OwnToken> => ({
    ...token,
    expiresAt: endOf(call, token),
    reaches: await describeReach(call.sql.read, readReach(reach)),
    scopes:
      scopes === null && reach === null
        ? 'everything'
        : [...scopesWithin(readReach(reach), (scopes?.split(' ') as Scope[]) ?? ALL_SCOPES)],
    closedTo: closedOwners(policies, { means: 'token', ...token }, now),
  });
  return {
    working: await Promise.all(working.map(present)),
    ended: await Promise.all(ended.map(present)),
  };
}

/**
 * Creates a personal access token for the actor.
 *
 * @param input.scopes at least one, and only scopes the actor has; `admin` only for administrators
 * @param input.reach what to limit it to, as for {@link resolveReach}; no more than `REACHING_SCOPES` then
 * @param input.lifetimeDays 1 to {@link MAX_TOKEN_LIFETIME_DAYS}; without it, the token never
 *   expires
 * @returns the token; only its hash is stored
 * @throws BAD_REQUEST naming `name`, `scopes` or `lifetime`; InsufficientScope; UNPROCESSABLE if
 *   the actor has {@link MAX_WORKING_TOKENS} or, naming `scopes`, is no administrator; NOT_FOUND if
 *   the account is gone
 */
export async function createOwnToken(
  call: Call,
  input: {
    name: string;
    scopes: readonly Scope[];
    lifetimeDays: number | undefined;
    reach?: string;
  },
): Promise<{ token: string; id: string }> {
  const { actor } = call;
  const scopes = ALL_SCOPES.filter((scope) => input.scopes.includes(scope));
  if (scopes.length === 0) {
    throw new FieldError('BAD_REQUEST', 'scopes', 'choose at least one.');
  }
  // A token must not create one that can do more than itself.
  for (const scope of scopes) requireScope(actor, scope);
  const reach = await resolveReach(call, input.reach ?? '');
  const beyond = reach && scopes.find((scope) => !REACHING_SCOPES.includes(scope));
  if (beyond) {
    const problem = `a token for some documents can’t have: ${SCOPE_DESCRIPTIONS[beyond]}.`;
    throw new FieldError('UNPROCESSABLE', 'scopes', problem);
  }
  const lifetimeMs = readLifetime(input.lifetimeDays);
  return changeOwned(call, actor.username, async (tx) => {
    // Uses the id, because someone else may have the username by now.
    const account = await findAccountById(tx, actor.id);
    if (!account) throw new ServiceError('NOT_FOUND', 'This account no longer exists.');
    const working = await countWorkingTokens(tx, actor.id, workingNow(call));
    await requireRoom(call, tx, actor.id, 'tokens', working);
    if (working >= MAX_WORKING_TOKENS) {
      throw new ServiceError(
        'UNPROCESSABLE',
        `You have ${MAX_WORKING_TOKENS} active tokens, which is the limit. Revoke one you no longer use.`,
      );
    }
    const token = await addToken(call, tx, account, {
      name: input.name,
      lifetimeMs,
      scopes,
      reach,
    });
    await queueSecurityNotice(call, tx, account.id, { what: 'token', name: token.name });
    const detail = {
      scopes: scopes.join(' '),
      days: input.lifetimeDays ?? null,
      ...(reach && { reach: input.reach }),
    };
    await audit(call, tx, { action: 'token.created', actor, subject: token.name, detail });
    return token;
  });
}

/**
 * Revokes one of the actor's tokens for good.
 *
 * @throws NOT_FOUND if no working token of the actor has this id
 */
export async function revokeOwnToken(call: Call, id: string): Promise<void> {
  const revoked = await call.sql.transaction(async (tx) => {
    const token = await updateTokenRevoked(tx, normaliseId(id), call.now(), call.actor.id);
    if (!token) return false;
    await audit(call, tx, { action: 'token.revoked', actor: call.actor, subject: token.name });
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
