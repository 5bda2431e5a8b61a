import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import {
  deleteClientGrants,
  deleteGrant,
  findGrant,
  type GrantRow,
  listGrants,
  lockClientGrants,
  updateGrantScopes,
} from '../../core/identity/grant-store.ts';
import { ALL_SCOPES, commonScopes, type Scope } from '../../core/identity/scope.ts';
import type { ClosedOwner } from '../../core/owner/program-rule.ts';
import { closedOwners } from '../../core/owner/program-service.ts';
import { listProgramPolicies } from '../../core/owner/program-store.ts';

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
}

/** Lists a user's connected applications, the latest connected first. */
export async function listConnectedApplications(
  context: Context,
  actor: Actor,
): Promise<ConnectedApplication[]> {
  const now = context.now();
  const [grants, policies] = await Promise.all([
    listGrants(context.sql.read, actor.id, now),
    listProgramPolicies(context.sql.read, actor.id),
  ]);
  const byClient = Map.groupBy(grants, (grant) => grant.clientId);
  return Array.from(byClient.values(), (all) => ({
    ...presentApplication(all),
    // Who connects it again goes on with the newest.
    closedTo: closedOwners(policies, { means: 'application', ...(all[0] as GrantRow) }, now),
  }));
}

/**
 * Ends all grants and tokens of an application for a user. @throws NOT_FOUND if the user has no
 * such application
 */
export async function disconnectApplication(
  context: Context,
  actor: Actor,
  id: string,
): Promise<void> {
  const ended = await context.sql.transaction(async (tx) => {
    const grant = await findGrant(tx, normaliseId(id));
    if (grant?.accountId !== actor.id) return 0;
    const { clientId, clientName: subject } = grant;
    await audit(context, tx, { action: 'application.disconnected', actor, subject });
    return deleteClientGrants(tx, { clientId, accountId: actor.id });
  });
  if (ended === 0) throw noApplication();
}

/** Returns a user's connected application. @throws NOT_FOUND */
export async function getConnectedApplication(
  context: Context,
  actor: Actor,
  id: string,
): Promise<ConnectedApplication> {
  const grant = await findGrant(context.sql.read, normaliseId(id));
  const applications = await listConnectedApplications(context, actor);
  const grants = await listGrants(context.sql.read, actor.id, context.now());
  const { clientId } = grant ?? {};
  const newest = grants.find((one) => one.clientId === clientId);
  const found = applications.find((one) => one.id === newest?.id);
  if (grant?.accountId !== actor.id || !found) throw noApplication();
  return found;
}

/**
 * Takes scopes away from an application of the actor, at once, also from its tokens.
 *
 * @param keep the scopes that it keeps, of those that it has; others are ignored
 * @throws NOT_FOUND; BAD_REQUEST naming `scopes` if it would keep none
 */
export async function narrowApplication(
  context: Context,
  actor: Actor,
  id: string,
  keep: readonly Scope[],
): Promise<void> {
  await context.sql.transaction(async (tx) => {
    const grant = await findGrant(tx, normaliseId(id));
    if (grant?.accountId !== actor.id) throw noApplication();
    const { clientId, clientName: subject } = grant;
    const grants = (await lockClientGrants(tx, { clientId, accountId: actor.id })).map((each) => ({
      ...each,
      kept: commonScopes(each.scopes, keep.join(' ')).join(' '),
    }));
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
    await audit(context, tx, { action: 'application.narrowed', actor, subject, detail });
  });
}

function noApplication(): FieldError {
  return new FieldError('NOT_FOUND', 'id', 'no connected app has this id.');
}

/** @param grants of one client, the newest first, at least one */
function presentApplication(grants: GrantRow[]): Omit<ConnectedApplication, 'closedTo'> {
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
