import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call } from '../../core/context.ts';
import { describeReach } from '../../core/document/reach-service.ts';
import {
  deleteClientGrants,
  deleteGrant,
  findGrant,
  type GrantRow,
  listGrants,
  lockClientGrants,
  updateGrantScopes,
} from '../../core/identity/grant-store.ts';
import { readReach } from '../../core/identity/reach.ts';
import { ALL_SCOPES, commonScopes, type Scope } from '../../core/identity/scope.ts';
import type { ClosedOwner } from '../../core/owner/program-rule.ts';
import { closedOwners } from '../../core/owner/program-service.ts';
import { listProgramPolicies } from '../../core/owner/program-store.ts';
import type { Reach } from '../../storage/sql/narrowed.ts';

/** An application with one or more grants of a user. */
export interface ConnectedApplication {
  /** For {@link disconnectApplication}. */
  id: string;
  name: string;
  /** Its redirect host, or an installed application's scheme. */
  host: string;
  scopes: Scope[];
  since: string;
  /** To the minute; `null` if never used. */
  lastUsedAt: string | null;
  /** The organizations that it doesn't reach because of their policies. */
  closedTo: readonly ClosedOwner[];
  /** What it is limited to; empty for everything. */
  reaches: readonly string[];
}

/** Lists a user's connected applications, the latest connected first. */
export async function listConnectedApplications(call: Call): Promise<ConnectedApplication[]> {
  const now = call.now();
  const [grants, policies] = await Promise.all([
    listGrants(call.sql.read, call.actor.id, now),
    listProgramPolicies(call.sql.read, call.actor.id),
  ]);
  const byClient = Map.groupBy(grants, (grant) => grant.clientId);
  return Promise.all(
    Array.from(byClient.values(), async (all) => {
      // Who connects it again goes on with the newest.
      const newest = all[0] as GrantRow;
      const isLimited = all.every(({ reach }) => reach !== null);
      return {
        ...presentApplication(all),
        closedTo: closedOwners(policies, { means: 'application', ...newest }, now),
        reaches: isLimited ? await describeReach(call.sql.read, reachOfAll(all)) : [],
      };
    }),
  );
}

/**
 * Ends all grants and tokens of an application for a user. @throws NOT_FOUND if the user has no
 * such application
 */
export async function disconnectApplication(call: Call, id: string): Promise<void> {
  const ended = await call.sql.transaction(async (tx) => {
    const grant = await findGrant(tx, normaliseId(id));
    if (grant?.accountId !== call.actor.id) return 0;
    const { clientId, clientName: subject } = grant;
    await audit(call, tx, { action: 'application.disconnected', actor: call.actor, subject });
    return deleteClientGrants(tx, { clientId, accountId: call.actor.id });
  });
  if (ended === 0) throw noApplication();
}

/** Returns a user's connected application. @throws NOT_FOUND */
export async function getConnectedApplication(
  call: Call,
  id: string,
): Promise<ConnectedApplication> {
  const grant = await findGrant(call.sql.read, normaliseId(id));
  const applications = await listConnectedApplications(call);
  const grants = await listGrants(call.sql.read, call.actor.id, call.now());
  const { clientId } = grant ?? {};
  const newest = grants.find((one) => one.clientId === clientId);
  const found = applications.find((one) => one.id === newest?.id);
  if (grant?.accountId !== call.actor.id || !found) throw noApplication();
  return found;
}

/**
 * Takes scopes away from an application of the actor, at once, also from its tokens.
 *
 * @param keep the scopes that it keeps, of those that it has; others are ignored
 * @throws NOT_FOUND; BAD_REQUEST naming `scopes` if it would keep none
 */
export async function narrowApplication(
  call: Call,
  id: string,
  keep: readonly Scope[],
): Promise<void> {
  await call.sql.transaction(async (tx) => {
    const grant = await findGrant(tx, normaliseId(id));
    if (grant?.accountId !== call.actor.id) throw noApplication();
    const { clientId, clientName: subject } = grant;
    const grants = (await lockClientGrants(tx, { clientId, accountId: call.actor.id })).map(
      (each) => ({ ...each, kept: commonScopes(each.scopes, keep.join(' ')).join(' ') }),
    );
    if (grants.every(({ kept }) => kept === '')) {
      throw new FieldError(
        'BAD_REQUEST',
        'scopes',
        'leave at least one permission, or disconnect the app.',
      );
    }
    const changed = grants.filter(({ kept, scopes }) => kept !== scopes);
    if (changed.length === 0) return;
    for (const { id: grantId, kept, scopes, refusedScopes } of changed) {
      if (kept === '') {
        await deleteGrant(tx, grantId);
        continue;
      }
      const taken = scopes.split(' ').filter((scope) => !kept.split(' ').includes(scope));
      const refused = [...refusedScopes.split(' '), ...taken].filter((scope) => scope !== '');
      await updateGrantScopes(tx, grantId, { scopes: kept, refusedScopes: refused.join(' ') });
    }
    const left = ALL_SCOPES.filter((scope) =>
      grants.some(({ kept }) => kept.split(' ').includes(scope)),
    );
    const detail = { scopes: left.join(' ') };
    await audit(call, tx, { action: 'application.narrowed', actor: call.actor, subject, detail });
  });
}

/** Returns what grants reach together, all of which are limited. */
function reachOfAll(grants: readonly GrantRow[]): Reach {
  const each = grants.flatMap(({ reach }) => readReach(reach) ?? []);
  return {
    owners: each.flatMap(({ owners }) => owners),
    documents: each.flatMap(({ documents }) => documents),
  };
}

function noApplication(): FieldError {
  return new FieldError('NOT_FOUND', 'id', 'no connected app has this id.');
}

/** @param grants of one client, the newest first, at least one */
function presentApplication(
  grants: GrantRow[],
): Omit<ConnectedApplication, 'closedTo' | 'reaches'> {
  const [newest, oldest] = [grants[0], grants.at(-1)] as [GrantRow, GrantRow];
  const given = new Set(grants.flatMap(({ scopes }) => scopes.split(' ')));
  const uses = grants.map(({ lastUsedAt }) => lastUsedAt).filter((at) => at !== null);
  return {
    id: newest.id,
    name: newest.clientName,
    host: newest.clientHost,
    scopes: ALL_SCOPES.filter((scope) => given.has(scope)),
    since: oldest.createdAt,
    lastUsedAt: uses.sort().at(-1) ?? null,
  };
}
